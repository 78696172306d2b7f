import type { FlowPage } from '../../client';

/** A step of a flow that reads or writes documents elsewhere. */
export interface FlowStep {
  flowId: string;
  flowName: string;
  step: string;
  /** Folders, addresses or names of buckets, without secrets. */
  places: readonly string[];
  /** The connections whose secrets it uses. */
  connections: readonly string[];
  config: Record<string, unknown>;
}

/** A source that a flow reads. */
export interface FlowSource extends FlowStep {
  provider: string;
  /** Minutes between reads of the access lists outside runs; undefined if only runs read them. */
  accessMinutes: number | undefined;
}

/** A destination that a flow exports to. */
export interface FlowDestination extends FlowStep {
  destination: string;
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
  'index',
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
  return listSteps(flows, 'ingest_source').map((step) => ({
    ...step,
    provider: typeof step.config['provider'] === 'string' ? step.config['provider'] : 'filesystem',
    accessMinutes: findMinutes(step.config),
  }));
}

/** The destinations that flows export to, in their order. */
export function listDestinations(flows: FlowPage['flows']): FlowDestination[] {
  return listSteps(flows, 'storage').map((step) => ({
    ...step,
    destination: typeof step.config['destination'] === 'string' ? step.config['destination'] : '',
  }));
}

function listSteps(flows: FlowPage['flows'], operator: string): FlowStep[] {
  return flows.flatMap((flow) =>
    'flow' in flow
      ? flow.flow
          .filter(({ type }) => type === operator)
          .map(({ name, config = {} }) => ({
            flowId: flow.flow_id,
            flowName: flow.flow_name,
            step: name,
            places: listPlaces(config),
            connections: listConnections(config),
            config,
          }))
      : [],
  );
}

function listPlaces(config: Record<string, unknown>): string[] {
  const params = getParams(config);
  const values = [config['path'], ...placeMembers.flatMap((member) => [params[member]].flat())];
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
  const references = JSON.stringify(config).matchAll(/\$\{connection:([\w-]+)(?:\.\w+)?\}/g);
  return [...new Set([...references].map(([, name = '']) => name))];
}

function findMinutes(config: Record<string, unknown>): number | undefined {
  const minutes = config['access_sync_minutes'] ?? getParams(config)['access_sync_minutes'];
  return typeof minutes === 'number' ? minutes : undefined;
}
