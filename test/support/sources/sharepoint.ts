import { createAddressGuard } from '../../../services/net/address-guard';
import type { KnownItems } from '../../../services/source/items/known-items';
import { createSources } from '../../../services/source/sources';
import { type GraphDouble, startGraph } from '../doubles/graph';
import { type SourceFixture, withParams } from './fixture';

/** The configuration of a flow that reads the drive of the double. */
export function graphConfig(graph: GraphDouble): Record<string, unknown> {
  return {
    provider: 'sharepoint',
    connection_params: {
      tenant_id: graph.tenant,
      client_id: graph.clientId,
      endpoint_url: graph.server.origin,
      login_url: `${graph.server.origin}/login`,
      site: 'contoso.sharepoint.example:/sites/legal',
      document_library: 'Contracts',
    },
    credentials: { client_secret: graph.clientSecret },
  };
}

/** A document library on a double of Microsoft Graph; with `knownItems`, listings follow its changes. */
export async function sharepointFixture(knownItems?: KnownItems): Promise<SourceFixture> {
  const graph = await startGraph();
  const config = graphConfig(graph);
  return {
    provider: 'sharepoint',
    sources: createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']), knownItems }),
    strict: createSources({ roots: [] }),
    config,
    put: async (key, text) => void graph.put(key, text),
    remove: async (key) => graph.remove(key),
    keyOf: ({ metadata }) => String(metadata['relative_path']),
    missing: withParams(config, { folder: 'none' }),
    wrongSignIn: { ...config, credentials: { client_secret: 'wrong-password' } },
    close: () => graph.stop(),
  };
}
