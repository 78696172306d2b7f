import type { Config } from '../../model/config';
import { AppError } from '../../model/errors';
import type { ModelProvider } from '../../model/llm/providers';
import type { ProviderModel } from '../../model/llm/wire';
import { type NetworkConfig, buildNetworkRules } from '../../model/network-rules';
import { createTimeLimit } from '../../model/time/time-limit';
import { type AddressGuard, createAddressGuard, formatHostAndPort } from '../net/address-guard';
import { createHttpJson } from '../net/http-json';
import { listHosted } from './model-catalogue-hosted';
import { listLocal } from './model-catalogue-local';

/** Lists the models of providers. Answers within 20 s. A list is cached for one minute. */
export interface ModelCatalogue {
  /** Sorted by name. `apiBase` overrides the configured address of the hosted vendor. */
  list(provider: ModelProvider, apiBase?: string): Promise<ProviderModel[]>;
  close(): void;
}

const deadlineMs = 20_000;
/** How long a list is cached. */
const freshMs = 60_000;
/** Lists, and details of models, that are cached. */
const maxRemembered = 1_000;

/** Queries the configured model hosts, which may be private. An address in a request must be https and pass the address guard. */
export function createModelCatalogue(
  config: NetworkConfig & Pick<Config, 'LOCALMODEL_HOST' | 'HOSTEDMODEL_API_BASE_URL'>,
  {
    guard = createAddressGuard(buildNetworkRules(config)),
    clock = () => performance.now(),
  }: { guard?: AddressGuard; clock?: () => number } = {},
): ModelCatalogue {
  const named = createHttpJson(guard);
  const hosts = [config.LOCALMODEL_HOST, config.HOSTEDMODEL_API_BASE_URL ?? ''].flatMap((address) =>
    URL.canParse(address) ? [formatHostAndPort(new URL(address))] : [],
  );
  const configured = createHttpJson(createAddressGuard(hosts));
  const listings = new Map<string, { until: number; models: Promise<ProviderModel[]> }>();
  /** Details of local models by name and digest: an unchanged model keeps its dimension. */
  const modelsById = new Map<string, ProviderModel>();

  function ask(provider: ModelProvider, apiBase: string | undefined): Promise<ProviderModel[]> {
    const signal = createTimeLimit(deadlineMs);
    if (provider === 'localmodel') {
      if (modelsById.size > maxRemembered) modelsById.clear();
      const base = parseConfiguredAddress(config.LOCALMODEL_HOST, 'LOCALMODEL_HOST');
      return listLocal({ base, http: configured, signal, known: modelsById });
    }
    if (apiBase !== undefined) return listHosted({ base: parseRequestedAddress(apiBase), http: named, signal });
    if (!config.HOSTEDMODEL_API_BASE_URL) {
      throw new AppError(
        'MISSING_CONFIGURATION',
        'HOSTEDMODEL_API_BASE_URL is not set on this server; set it, or name the address of the vendor in api_base.',
      );
    }
    const base = parseConfiguredAddress(config.HOSTEDMODEL_API_BASE_URL, 'HOSTEDMODEL_API_BASE_URL');
    return listHosted({ base, http: configured, signal });
  }

  return {
    list: async (provider, apiBase) => {
      const key = JSON.stringify([provider, apiBase]);
      const listed = listings.get(key);
      if (listed && listed.until > clock()) return await listed.models;
      if (listings.size > maxRemembered) listings.clear();
      // Concurrent callers share one request. A failed request is not cached, so the next caller tries again.
      const models = ask(provider, apiBase);
      const entry = { until: clock() + freshMs, models };
      listings.set(key, entry);
      return await models.catch((error: unknown) => {
        if (listings.get(key) === entry) listings.delete(key);
        throw error;
      });
    },
    close() {
      named.close();
      configured.close();
    },
  };
}

function parseRequestedAddress(apiBase: string): URL {
  const url = URL.canParse(apiBase) ? new URL(apiBase) : undefined;
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url;
  throw new AppError('INVALID_API_BASE', 'api_base must be an https address without user name and password.', {
    target: { type: 'parameter', name: 'api_base' },
  });
}

function parseConfiguredAddress(address: string, setting: string): URL {
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return new URL(address);
  throw new AppError('INVALID_API_BASE', `${setting} of this server is not an http or https address.`);
}
