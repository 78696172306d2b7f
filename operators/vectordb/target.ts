import type { SearchTarget } from '../../services/ports';
import type { VectordbConfig } from './schema';

/** The server that a vectordb configuration names (secrets resolved); undefined for the configured one. */
export function searchTargetOf(config: Record<string, unknown>): SearchTarget | undefined {
  const { provider_config: provider } = config as VectordbConfig;
  if (!provider?.host) return undefined;
  return {
    host: provider.host,
    port: provider.port ?? 9_200,
    useSsl: provider.use_ssl ?? false,
    verifyCerts: provider.verify_certs ?? true,
    ...(provider.username === undefined ? {} : { username: provider.username, password: provider.password ?? '' }),
  };
}
