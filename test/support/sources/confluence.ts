import { createAddressGuard } from '../../../services/net/address-guard';
import { createSources } from '../../../services/source/sources';
import { type ConfluenceDouble, startConfluence } from '../doubles/confluence';
import { type SourceFixture, withParams } from './fixture';

/** The configuration of a flow that reads the space of the double. */
export function confluenceConfig({ server, space, username, token }: ConfluenceDouble): Record<string, unknown> {
  return {
    provider: 'confluence',
    connection_params: { site_url: `${server.origin}/wiki/`, space },
    credentials: { username, token },
  };
}

/** A space on a double of Confluence Cloud. Keys are attachments of pages below the home page; the pages themselves are left out. */
export async function confluenceFixture(): Promise<SourceFixture> {
  const site = await startConfluence();
  const config = withParams(confluenceConfig(site), { exclude_filter: 'html' });
  return {
    provider: 'confluence',
    sources: createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']) }),
    strict: createSources({ roots: [] }),
    config,
    put: async (key, text) => site.put(key, text),
    remove: async (key) => site.remove(key),
    keyOf: ({ metadata }) => String(metadata['relative_path']).replace(/^Home\//, ''),
    missing: withParams(config, { space: 'NONE' }),
    wrongSignIn: { ...config, credentials: { username: site.username, token: 'wrong-password' } },
    close: () => site.stop(),
  };
}
