import type { FlowPage } from '../../client';

/** A source that a flow reads. */
export interface FlowSource {
  flowId: string;
  flowName: string;
  step: string;
  provider: string;
  /** Folders, addresses or names of buckets, without secrets. */
  places: readonly string[];
  /** The connections whose secrets it uses. */
  connections: readonly string[];
  /** Minutes between reads of the access lists outside runs; undefined if only runs read them. */
  accessMinutes: number | undefined;
  config: Record<string, unknown>;
}

/** Members of `connection_params` that say where documents are, most telling first. */
const placeMembers = [
  'paths',
  'root_path',
  'urls',
  'url',
  'sitemaps',
  'folder_url',
  'site_url',
  'space',
  'repository_url',
  'container_url',
  'account_name',
  'container',
  'bucket',
  'prefix',
  'endpoint_url',
  'host',
  'share',
  'site',
  'user',
  'document_library',
  'drive_id',
  'folder_id',
  'mailbox',
  'library_id',
];
const maxPlaces = 5;

/** The sources of flows, in their order; flows from Elyra have none that the console reads. */
export function listSources(flows: FlowPage['flows']): FlowSource[] {
  return flows.flatMap((flow) =>
    'flow' in flow
      ? flow.flow
          .filter(({ type }) => type === 'ingest_source')
          .map(({ name, config = {} }) => ({
            flowId: flow.flow_id,
            flowName: flow.flow_name,
            step: name,
            provider: typeof config['provider'] === 'string' ? config['provider'] : 'filesystem',
            places: listPlaces(config),
            connections: listConnections(config),
            accessMinutes: findMinutes(config),
            config,
          }))
      : [],
  );
}

function listPlaces(config: Record<string, unknown>): string[] {
  const params = getParams(config);
  const values = placeMembers.flatMap((member) => [params[member]].flat());
  const texts = values.filter((value) => typeof value === 'string' && value !== '') as string[];
  return [...new Set(texts.map(omitPassword))].slice(0, maxPlaces);
}

function getParams(config: Record<string, unknown>): Record<string, unknown> {
  const params = config['connection_params'];
  return typeof params === 'object' && params !== null ? (params as Record<string, unknown>) : {};
}

/** Somebody may have written a password into an address. */
function omitPassword(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');
}

function listConnections(config: Record<string, unknown>): string[] {
  const references = JSON.stringify(config).matchAll(/\$\{connection:([\w-]+)\}/g);
  return [...new Set([...references].map(([, name = '']) => name))];
}

function findMinutes(config: Record<string, unknown>): number | undefined {
  const minutes = config['access_sync_minutes'] ?? getParams(config)['access_sync_minutes'];
  return typeof minutes === 'number' ? minutes : undefined;
}
