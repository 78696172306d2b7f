/** Descriptions of the groups of routes in the API reference. */
export const groups = {
  Server: 'Whether the API and the servers behind it work.',
  Authentication: 'Logins with a name and password or at a provider, and who you are.',
  'API keys': 'Keys and service accounts for programs.',
  Webhooks: 'Signed messages to your servers when something happens.',
  Projects: 'Groups of flows with members who share them.',
  Flows: 'Pipelines that ingest, convert and index documents, and their versions.',
  'Job runs': 'Runs of flows: start, watch, control, compare and repeat them.',
  'Failed documents': 'Documents whose last attempt failed, over all runs: group, retry or leave them out.',
  Review: 'Doubtful conversions that wait for a person.',
  Schedules: 'Runs that start by themselves.',
  Operators: 'The steps that a flow may have, with the schema of their configuration.',
  Temporal: 'Reads encrypted payloads in the Temporal UI.',
  Providers: 'Models that flows may use.',
  'Document classes': 'Kinds of documents with the fields that are extracted from them.',
  Validation: 'Checks a flow before it is stored or run.',
  Connections: 'Stored secrets for sources, models and databases, which flows name.',
  Identities: 'Which login an account of a source belongs to, for sources with rights of their own.',
  'Document libraries': 'Document sets and uploaded files under one list of readers.',
  'Document sets': 'Tables of documents and extracted facts, filled by flows.',
  Documents: 'Searches, answers and the documents themselves, for those who may read them.',
  Removals: 'Removes documents with everything that was made of them.',
  Indexes: 'Search indexes, their owners and writers.',
  Graphs: 'Knowledge graphs: build, update and ask them.',
  Documentation: 'This reference.',
} as const;

/** The name of a group of routes. */
export type RouteGroup = keyof typeof groups;

/** The group of the routes at each of these paths and below it. */
const groupsByPath: Readonly<Record<string, RouteGroup>> = {
  '/': 'Server',
  '/access': 'Documents',
  '/api-keys': 'API keys',
  '/audit': 'Server',
  '/auth': 'Authentication',
  '/connections': 'Connections',
  '/destinations': 'Validation',
  '/docs': 'Documentation',
  '/document-libraries': 'Document libraries',
  '/document-sets': 'Document sets',
  '/document_classes': 'Document classes',
  '/documents': 'Documents',
  '/failed_documents': 'Failed documents',
  '/flows': 'Flows',
  '/flows/{flow_id}/schedules': 'Schedules',
  '/graphs': 'Graphs',
  '/health': 'Server',
  '/identity-maps': 'Identities',
  '/indexes': 'Indexes',
  '/job_runs': 'Job runs',
  '/judged-queries': 'Documents',
  '/metrics': 'Server',
  '/names': 'Authentication',
  '/openapi.json': 'Documentation',
  '/operators': 'Operators',
  '/overview': 'Server',
  '/projects': 'Projects',
  '/protected': 'Authentication',
  '/providers': 'Providers',
  '/ready': 'Server',
  '/redoc': 'Documentation',
  '/removals': 'Removals',
  '/reviews': 'Review',
  '/saved-searches': 'Documents',
  '/schedules': 'Schedules',
  '/search-options': 'Documents',
  '/service-accounts': 'API keys',
  '/sessions': 'Authentication',
  '/sources': 'Validation',
  '/storage': 'Server',
  '/temporal': 'Temporal',
  '/validation': 'Validation',
  '/webhooks': 'Webhooks',
};

/** The group of the path, or of the nearest path above it. Throws if no group has one. */
export function findGroup(path: string): RouteGroup {
  const names = path
    .replace(/^\/api\/v1\//, '/')
    .split('/')
    .slice(1);
  for (let count = names.length; count > 0; count -= 1) {
    const group = groupsByPath[`/${names.slice(0, count).join('/')}`];
    if (group) return group;
  }
  throw new Error(`No group of routes has the path ${path}: add it to api/groups.ts, or give the route a \`group\`.`);
}
