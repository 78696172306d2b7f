/**
 * The rights of each role. Long because every route has a row. Everything belongs to `owner`. `member` is a
 * member of the project of the flow, `reader` is in the lists of readers of flow, set and library, `other` is any other user with
 * a token, and `nobody` has none.
 */
export const roles = ['nobody', 'other', 'reader', 'member', 'owner', 'admin'] as const;
export type Role = (typeof roles)[number];

/** The inputs of the requests of the matrix: the resources of the owner, in memory or on a running server. */
export interface Stage {
  /** By the name of the parameter in paths. */
  ids: Readonly<Record<string, string>>;
  sets: { linked: string; other: string };
  /** A name for something new, which is unique even on a server that others use. */
  nameOf: (text: string) => string;
  /** The definition of a flow. */
  flow: (name: string) => object;
}

/** The status that each role gets. */
export type Expected = Record<Role, number>;
/** The effect of one route for each role. */
export interface Row {
  expected: Expected;
  query?: string;
  body?: (stage: Stage) => unknown;
  /**
   * Required content of a successful reply, by role; for lists: the number of items each role sees. On a real server, roles
   * may own more.
   */
  says?: { of: (body: never) => unknown; by: Partial<Record<Role, unknown>> };
  /** On a real server, its settings decide: roles with the rights of the owner may get any of these statuses. */
  onServer?: readonly number[];
  /** The request changes the resource in its path, and further requests can still use the resource. */
  keeps?: boolean;
}

/** The same for everybody, token or not. */
const open = (status: number): Expected =>
  Object.fromEntries(roles.map((role) => [role, status])) as Record<Role, number>;
/** For everybody with a token. */
const signedIn = (status: number): Expected => ({ ...open(status), nobody: 401 });
/** The status for administrators; 403 for all others with a token. */
const administrators = (status: number): Expected => ({ ...signedIn(403), admin: status });
/** Status for the named roles; 403 for those who see the resource but may not do this; for all others it does not exist. */
const only = (status: number, allowed: readonly Role[], refused: readonly Role[] = []): Expected => ({
  ...signedIn(404),
  ...Object.fromEntries(refused.map((role) => [role, 403])),
  ...Object.fromEntries(allowed.map((role) => [role, status])),
});
const invoiceTemplate = {
  title: 'Invoice',
  type: 'object',
  properties: { number: { type: 'string', description: 'Invoice number' } },
};
const managers = ['owner', 'admin'] as const;
const ofProject = [...managers, 'member'] as const;
const ofFlow = [...ofProject, 'reader'] as const;
const shared = [...managers, 'reader'] as const;

const total = (by: Partial<Record<Role, number>>) => ({
  of: ({ total_count, total }: { total_count?: number; total?: number }) => total_count ?? total,
  by: { other: 0, reader: 0, member: 0, owner: 1, admin: 1, ...by },
});
const done = (by: Partial<Record<Role, number>>) => ({
  of: (reply: { done: number }) => reply.done,
  by: { other: 0, reader: 0, member: 0, owner: 1, admin: 1, ...by },
});
const changedByOwner = {
  of: ({ changed }: { changed: number }) => changed,
  by: { other: 0, reader: 0, member: 0, owner: 1, admin: 0 },
};
const rowsOf = (count: (body: never) => number) => ({ of: count, by: { owner: 1, reader: 0, admin: 0 } });
const flowBody = ({ ids, nameOf, flow }: Stage) => ({ ...flow(nameOf('new')), project_id: ids['project_id'] });
/** On a server, the documents of the attack alone. */
const chosen = (ids: Stage['ids']) => (ids['failed_flow_id'] ? { flow_id: ids['failed_flow_id'] } : {});
const schedule = () => ({ cron: '0 6 1 1 *' });

/** Every route of the api. */
export const matrix: Readonly<Record<string, Row>> = {
  'GET /': { expected: open(200) },
  'GET /health': { expected: open(200) },
  'GET /ready': { expected: open(200) },
  'GET /metrics': { expected: open(200) },
  'POST /auth/login': {
    onServer: [200, 401, 429, 503],
    expected: open(200),
    body: () => ({ username: 'alice', password: 'right' }),
  },
  'POST /auth/logout': { expected: signedIn(204) },
  'GET /auth/oauth2/authorize': { onServer: [302, 400, 503], expected: open(503) },
  'GET /auth/oauth2/callback': { onServer: [302, 400, 401, 503], expected: open(503), query: '?state=s&code=c' },
  'POST /auth/oauth2/token': { onServer: [401, 503], expected: open(401), body: () => ({ code: 'unknown' }) },
  'GET /auth/oauth2/providers': { expected: open(200) },
  'GET /auth/oauth2/discovery/{provider}': { onServer: [200, 404, 502, 503], expected: open(503) },
  'GET /auth/me': { expected: signedIn(200) },
  'GET /protected': { expected: signedIn(200) },

  'POST /api/v1/api-keys': {
    expected: signedIn(201),
    body: ({ nameOf }) => ({ name: nameOf('new'), scopes: ['read'] }),
  },
  'GET /api/v1/api-keys': { expected: signedIn(200), says: total({}) },
  'GET /api/v1/api-keys/{key_id}': { expected: only(200, managers) },
  'DELETE /api/v1/api-keys/{key_id}': { expected: only(204, managers) },
  'POST /api/v1/webhooks': {
    expected: signedIn(201),
    body: () => ({ url: 'https://hooks.invalid/new', events: ['run.ended'] }),
  },
  'GET /api/v1/webhooks': { expected: signedIn(200), says: total({}) },
  'GET /api/v1/webhooks/{webhook_id}': { expected: only(200, managers) },
  'PATCH /api/v1/webhooks/{webhook_id}': { expected: only(200, managers), body: () => ({ description: 'x' }) },
  'DELETE /api/v1/webhooks/{webhook_id}': { expected: only(204, managers) },
  'GET /api/v1/webhooks/{webhook_id}/deliveries': { expected: only(200, managers) },
  'POST /api/v1/webhooks/{webhook_id}/test': { expected: only(202, managers), keeps: true },
  'POST /api/v1/service-accounts': {
    expected: administrators(201),
    body: ({ nameOf }) => ({ account_name: `service:${nameOf('new')}` }),
  },
  'GET /api/v1/sessions': {
    expected: signedIn(200),
    // Whether sessions of other users are listed; the current session is the user's own.
    says: {
      of: ({ items }: { items: { username: string; is_current: boolean }[] }) => {
        const own = items.find(({ is_current }) => is_current)?.username;
        return items.some(({ username }) => username !== own);
      },
      by: { other: false, reader: false, member: false, owner: false, admin: true },
    },
  },
  'DELETE /api/v1/sessions/{session_id}': { expected: only(204, managers) },
  'GET /api/v1/service-accounts': { expected: administrators(200) },
  'GET /api/v1/service-accounts/{account_name}': { expected: administrators(200) },
  'DELETE /api/v1/service-accounts/{account_name}': { expected: administrators(204) },

  'POST /api/v1/projects': { expected: signedIn(201), body: ({ nameOf }) => ({ name: nameOf('new') }) },
  'GET /api/v1/projects': { expected: signedIn(200), says: total({ member: 1 }) },
  'GET /api/v1/projects/{project_id}': { expected: only(200, ofProject) },
  'PUT /api/v1/projects/{project_id}': {
    expected: only(200, managers, ['member']),
    body: ({ nameOf }) => ({ name: nameOf('renamed') }),
  },
  'PATCH /api/v1/projects/{project_id}': { expected: only(200, managers, ['member']), body: () => ({ tags: ['x'] }) },
  'DELETE /api/v1/projects/{project_id}': { expected: only(204, managers, ['member']) },
  'GET /api/v1/projects/{project_id}/flows': { expected: only(200, ofProject), says: total({ member: 1 }) },

  'POST /api/v1/flows': { expected: only(201, ofProject), body: flowBody },
  'GET /api/v1/flows': { expected: signedIn(200), says: total({ member: 1, reader: 1 }) },
  'GET /api/v1/flows/{flow_id}': { expected: only(200, ofFlow) },
  'PUT /api/v1/flows/{flow_id}': {
    expected: only(200, ofProject, ['reader']),
    body: ({ flow, nameOf }) => flow(nameOf('changed')),
  },
  'PATCH /api/v1/flows/{flow_id}': { expected: only(200, ofProject, ['reader']), body: () => ({ tags: ['x'] }) },
  'DELETE /api/v1/flows/{flow_id}': { expected: only(204, ofProject, ['reader']) },
  'GET /api/v1/flows/{flow_id}/versions': { expected: only(200, ofFlow) },
  'GET /api/v1/flows/{flow_id}/versions/{version}': { expected: only(200, ofFlow) },
  'GET /api/v1/flows/{flow_id}/versions/{version}/difference': { expected: only(200, ofFlow) },
  'POST /api/v1/flows/{flow_id}/versions/{version}/restore': {
    expected: only(200, ofProject, ['reader']),
    keeps: true,
  },
  'DELETE /api/v1/flows': {
    expected: signedIn(200),
    query: '?flow_ids={flow_id}',
    says: {
      of: ({ total_deleted }: { total_deleted: number }) => total_deleted,
      by: { other: 0, reader: 0, member: 1, owner: 1, admin: 1 },
    },
  },

  'POST /api/v1/job_runs': {
    expected: only(201, ofFlow),
    body: ({ ids }) => ({ flow_id: ids['flow_id'] }),
  },
  'GET /api/v1/job_runs': { expected: signedIn(200), says: total({ member: 1 }) },
  'GET /api/v1/job_runs/{job_run_id}': { expected: only(200, ofProject), query: '?include_logs=true' },
  'POST /api/v1/job_runs/{job_run_id}/cancel': { expected: only(409, ofProject) },
  // The run of the stage has ended.
  'GET /api/v1/job_runs/{job_run_id}/controls': { expected: only(409, ofProject) },
  'POST /api/v1/job_runs/{job_run_id}/pause': { expected: only(409, ofProject) },
  'POST /api/v1/job_runs/{job_run_id}/resume': { expected: only(409, ofProject) },
  'PUT /api/v1/job_runs/{job_run_id}/concurrency': {
    expected: only(409, ofProject),
    body: () => ({ max_concurrent_batches: 2 }),
  },
  'DELETE /api/v1/job_runs/{job_run_id}': { expected: only(204, managers, ['member']) },
  'GET /api/v1/job_runs/{job_run_id}/flow_definition': { expected: only(200, ofProject) },
  'GET /api/v1/job_runs/{job_run_id}/documents': { expected: only(200, managers, ['member']) },
  'GET /api/v1/job_runs/{job_run_id}/rows': {
    expected: only(200, managers, ['member']),
    query: '?operator=ingest',
    says: rowsOf(({ rows }: { rows: unknown[] }) => Math.sign(rows.length)),
  },
  'GET /api/v1/job_runs/{job_run_id}/rows/export': {
    expected: only(200, managers, ['member']),
    query: '?operator=ingest',
    says: rowsOf((text: string) => Math.sign(text.split('\n').filter(Boolean).length)),
  },
  'GET /api/v1/job_runs/{job_run_id}/report': { expected: only(200, managers, ['member']) },
  'GET /api/v1/job_runs/{job_run_id}/events': { expected: only(200, ofProject) },
  'GET /api/v1/job_runs/{job_run_id}/log': { expected: only(200, ofProject) },
  'GET /api/v1/job_runs/{job_run_id}/comparison': {
    expected: only(200, ofProject),
    query: '?base_run_id={job_run_id}',
  },
  'POST /api/v1/job_runs/{job_run_id}/rerun': { keeps: true, expected: only(201, ofProject), body: () => ({}) },

  'POST /api/v1/job_runs/bulk': {
    expected: signedIn(200),
    keeps: true,
    body: ({ ids }) => ({ action: 'rerun', job_run_ids: [ids['job_run_id']] }),
    says: done({ member: 1 }),
  },

  // Only administrators get names of the directory.
  'GET /api/v1/names': {
    expected: signedIn(200),
    says: {
      of: ({ directory }: { directory: string }) => directory === 'for_administrators',
      by: { other: true, reader: true, member: true, owner: true, admin: false },
    },
  },

  'GET /api/v1/failed_documents': { expected: signedIn(200), says: total({}) },
  'GET /api/v1/failed_documents/groups': { expected: signedIn(200), says: total({}) },
  'GET /api/v1/failed_documents/report': {
    expected: signedIn(200),
    says: {
      of: (text: string) => text.trim().split('\r\n').length - 1,
      by: { other: 0, reader: 0, member: 0, owner: 1, admin: 1 },
    },
  },
  // Only documents of the user's own runs are retried or changed.
  'POST /api/v1/failed_documents/retry': {
    expected: signedIn(200),
    body: ({ ids }) => ({ code: 'DOCUMENT_CORRUPT', ...chosen(ids) }),
    says: {
      of: ({ runs }: { runs: unknown[] }) => runs.length,
      by: { other: 0, reader: 0, member: 0, owner: 1, admin: 0 },
    },
  },
  'POST /api/v1/failed_documents/ignore': {
    expected: signedIn(200),
    body: ({ ids }) => ({ code: 'DOCUMENT_CORRUPT', ...chosen(ids), ignore: true }),
    says: changedByOwner,
  },
  'POST /api/v1/failed_documents/leave_out': {
    expected: signedIn(200),
    body: ({ ids }) => ({ code: 'DOCUMENT_CORRUPT', ...chosen(ids), leave_out: true }),
    says: changedByOwner,
  },
  // Only the owner of the run, who is in the access list: an administrator may not read the document.
  'GET /api/v1/failed_documents/{failed_id}': { expected: only(200, ['owner']) },
  'GET /api/v1/failed_documents/{failed_id}/original': { expected: only(200, ['owner']) },
  // On a real server, the document failed before it was converted, and its page cannot be drawn.
  'GET /api/v1/failed_documents/{failed_id}/markdown': { expected: only(200, ['owner']), onServer: [200, 404] },
  'GET /api/v1/failed_documents/{failed_id}/pages/{page}/image': {
    expected: only(200, ['owner']),
    onServer: [200, 404, 422],
  },

  'GET /api/v1/reviews': { expected: signedIn(200), query: '?state=open', says: total({}) },
  // Only the owner of the run, who is in the access list: an administrator may not read the document.
  'GET /api/v1/reviews/{review_id}': { expected: only(200, ['owner']) },
  'GET /api/v1/reviews/{review_id}/markdown': { expected: only(200, ['owner']) },
  'POST /api/v1/reviews/accept': {
    expected: signedIn(200),
    keeps: true,
    body: ({ ids }) => ({ ids: [ids['review_id']] }),
    says: changedByOwner,
  },
  'PUT /api/v1/reviews/{review_id}/correction': {
    expected: only(409, ['owner']),
    body: () => ({ markdown: '# Mine', version: 'of an earlier file' }),
  },
  'DELETE /api/v1/reviews/{review_id}/correction': { keeps: true, expected: only(200, ['owner']) },

  'GET /api/v1/flows/{flow_id}/access-sync': { expected: only(200, ofProject, ['reader']) },
  'POST /api/v1/flows/{flow_id}/access-sync': { expected: only(202, ofProject, ['reader']), keeps: true },
  'POST /api/v1/flows/{flow_id}/schedules': { expected: only(201, ofProject, ['reader']), body: schedule },
  'GET /api/v1/flows/{flow_id}/schedules': { expected: only(200, ofFlow) },
  'GET /api/v1/flows/{flow_id}/schedules/{schedule_id}': { expected: only(200, ofFlow) },
  'PATCH /api/v1/flows/{flow_id}/schedules/{schedule_id}': {
    expected: only(200, managers, ['member', 'reader']),
    body: () => ({ note: 'x' }),
  },
  'POST /api/v1/flows/{flow_id}/schedules/{schedule_id}/trigger': {
    expected: only(200, managers, ['member', 'reader']),
  },
  'POST /api/v1/flows/{flow_id}/schedules/{schedule_id}/pause': {
    expected: only(200, managers, ['member', 'reader']),
  },
  'POST /api/v1/flows/{flow_id}/schedules/{schedule_id}/resume': {
    expected: only(200, managers, ['member', 'reader']),
  },
  'DELETE /api/v1/flows/{flow_id}/schedules/{schedule_id}': { expected: only(204, managers, ['member', 'reader']) },

  'POST /api/v1/schedules/bulk': {
    expected: signedIn(200),
    keeps: true,
    body: ({ ids }) => ({
      action: 'resume',
      schedules: [{ flow_id: ids['flow_id'], schedule_id: ids['schedule_id'] }],
    }),
    says: done({}),
  },

  'GET /api/v1/operators/metadata': { expected: signedIn(200) },
  // Users see the figures of their own runs and flows.
  'GET /api/v1/overview': {
    expected: signedIn(200),
    says: { of: ({ day }: { day: { runs: number } }) => day.runs, by: { other: 0, reader: 0 } },
  },
  'GET /api/v1/storage': { expected: administrators(200) },
  'GET /api/v1/audit': { expected: administrators(200) },
  'POST /api/v1/temporal/codec/session': { expected: administrators(204) },
  'POST /api/v1/temporal/codec/decode': {
    expected: administrators(200),
    body: () => ({ payloads: [{ data: 'e30=' }] }),
  },
  'POST /api/v1/temporal/codec/encode': {
    expected: administrators(200),
    body: () => ({ payloads: [{ data: 'e30=' }] }),
  },
  'GET /api/v1/providers/{provider}/models': { expected: signedIn(200), onServer: [200, 502, 503] },
  'GET /api/v1/document_classes': { expected: signedIn(200) },
  'POST /api/v1/sources/check': {
    expected: signedIn(200),
    body: () => ({ config: { provider: 'http', connection_params: { urls: ['https://pages.invalid/a'] } } }),
  },
  'POST /api/v1/destinations/check': {
    expected: signedIn(200),
    body: () => ({ config: { destination: 'folder', path: '/srv/export' } }),
  },
  'POST /api/v1/validation/validate_flow': { expected: signedIn(200), body: ({ flow }) => flow('any') },

  'POST /api/v1/connections': {
    expected: signedIn(201),
    body: ({ nameOf }) => ({ name: nameOf('fresh'), type: 'web', hosts: ['crm.example.org'], secret: 'a key' }),
  },
  'GET /api/v1/connections': { expected: signedIn(200), says: total({}) },
  'GET /api/v1/connections/{connection_id}': { expected: only(200, managers) },
  'PATCH /api/v1/connections/{connection_id}': {
    expected: only(200, ['owner'], ['admin']),
    body: () => ({ hosts: ['other.example.org'] }),
  },
  'POST /api/v1/connections/{connection_id}/check': { expected: only(200, ['owner'], ['admin']) },
  'DELETE /api/v1/connections/{connection_id}': { expected: only(204, managers) },
  'GET /api/v1/identity-maps': { expected: administrators(200) },
  'GET /api/v1/identity-maps/{map_id}': { expected: administrators(200) },
  'PUT /api/v1/identity-maps/{map_id}': {
    expected: administrators(200),
    body: () => ({ places: [] }),
    keeps: true,
  },
  'DELETE /api/v1/identity-maps/{map_id}': { expected: administrators(204) },
  'GET /api/v1/identity-maps/{map_id}/identities': { expected: administrators(200) },
  'POST /api/v1/identity-maps/{map_id}/sync': { expected: administrators(200), keeps: true },
  'POST /api/v1/document-libraries': { expected: signedIn(201), body: ({ nameOf }) => ({ name: nameOf('Fresh') }) },
  'GET /api/v1/document-libraries': { expected: signedIn(200), says: total({ reader: 1 }) },
  'GET /api/v1/document-libraries/{library_id}': { expected: only(200, shared) },
  'PATCH /api/v1/document-libraries/{library_id}': {
    expected: only(200, managers, ['reader']),
    body: () => ({ purpose: 'x' }),
  },
  'DELETE /api/v1/document-libraries/{library_id}': { expected: only(204, managers, ['reader']) },
  'PUT /api/v1/document-libraries/{library_id}/document-sets': {
    expected: only(204, managers, ['reader']),
    body: ({ sets }) => ({ document_set_ids: [sets.other] }),
  },
  'DELETE /api/v1/document-libraries/{library_id}/document-sets': {
    expected: only(204, managers, ['reader']),
    body: ({ sets }) => ({ document_set_ids: [sets.linked] }),
  },
  'GET /api/v1/document-libraries/{library_id}/document-sets': {
    expected: only(200, shared),
    says: total({ reader: 1 }),
  },

  'POST /api/v1/document-libraries/{library_id}/uploads': {
    expected: only(201, ['owner'], ['admin', 'reader']),
    body: () => ({ name: 'new.pdf', size: 4, sha256: '0'.repeat(64) }),
  },
  'GET /api/v1/document-libraries/{library_id}/uploads/{upload_id}': {
    expected: only(200, ['owner'], ['admin', 'reader']),
  },
  'PUT /api/v1/document-libraries/{library_id}/uploads/{upload_id}/parts/{part}': {
    expected: only(200, ['owner'], ['admin', 'reader']),
    body: () => Buffer.from('text'),
  },
  'POST /api/v1/document-libraries/{library_id}/uploads/{upload_id}/complete': {
    expected: only(200, ['owner'], ['admin', 'reader']),
  },
  'DELETE /api/v1/document-libraries/{library_id}/uploads/{upload_id}': {
    expected: only(204, ['owner'], ['admin', 'reader']),
  },
  'GET /api/v1/document-libraries/{library_id}/files': { expected: only(200, ['owner', 'reader'], ['admin']) },
  'GET /api/v1/document-libraries/{library_id}/files/{file_id}': {
    expected: only(200, ['owner', 'reader'], ['admin']),
  },
  'GET /api/v1/document-libraries/{library_id}/files/{file_id}/content': {
    expected: only(200, ['owner', 'reader'], ['admin']),
  },
  'DELETE /api/v1/document-libraries/{library_id}/files/{file_id}': {
    expected: only(204, ['owner'], ['admin', 'reader']),
  },

  'POST /api/v1/document-sets': { expected: signedIn(201), body: ({ nameOf }) => ({ name: nameOf('fresh') }) },
  'GET /api/v1/document-sets': { expected: signedIn(200), says: total({ owner: 2, admin: 2, reader: 1 }) },
  'POST /api/v1/document-sets/bulk': {
    expected: signedIn(200),
    keeps: true,
    body: ({ sets }) => ({ action: 'share', set_ids: [sets.other], readers: [] }),
    says: done({}),
  },
  'GET /api/v1/document-sets/{set_id}': { expected: only(200, shared) },
  'PATCH /api/v1/document-sets/{set_id}': {
    expected: only(200, managers, ['reader']),
    body: () => ({ description: 'x' }),
  },
  'DELETE /api/v1/document-sets/{set_id}': { expected: only(204, managers, ['reader']) },
  'GET /api/v1/document-sets/{set_id}/preview': {
    expected: only(200, shared),
    says: rowsOf(({ data }: { data: unknown[] }) => data.length),
  },
  'GET /api/v1/document-sets/{set_id}/export': {
    expected: only(200, shared),
    says: rowsOf((text: string) => text.split('\n').filter(Boolean).length),
  },
  // On a server, no flow has made a graph of the document.
  'GET /api/v1/document-sets/{set_id}/graphs/{document_id}': {
    onServer: [200, 404],
    expected: only(200, ['owner']),
  },
  'GET /api/v1/documents/{document_id}': { expected: only(200, ['owner']) },
  'GET /api/v1/documents/{document_id}/original': { expected: only(200, ['owner']) },
  'GET /api/v1/documents/{document_id}/markdown': { expected: only(200, ['owner']) },
  'GET /api/v1/documents/{document_id}/json': { expected: only(200, ['owner']) },
  'GET /api/v1/documents/{document_id}/html': { expected: only(200, ['owner']) },
  'GET /api/v1/documents/{document_id}/facts': { expected: only(200, ['owner']) },
  'GET /api/v1/documents/{document_id}/chunks': { expected: only(200, ['owner']) },
  'GET /api/v1/documents/{document_id}/pages': { expected: only(200, ['owner']) },
  'GET /api/v1/documents/{document_id}/pages/{page}': { expected: only(200, ['owner']) },
  // Only PDF and images are drawn.
  'GET /api/v1/documents/{document_id}/pages/{page}/image': { expected: only(200, ['owner']), onServer: [200, 404] },
  'GET /api/v1/documents/{document_id}/life': { expected: only(200, ['owner']) },
  'GET /api/v1/documents/{document_id}/access': { expected: only(200, managers) },
  // Others may ask for themselves only, and not about documents that they may not read.
  'POST /api/v1/access/explain': {
    expected: { ...signedIn(403), owner: 200, admin: 200 },
    body: ({ ids }) => ({ user: ids['owner_name'] ?? 'alice', document_id: ids['document_id'] }),
  },
  'POST /api/v1/documents/search_as': {
    expected: administrators(200),
    body: () => ({ user_id: 'alice', query: 'invoice' }),
  },
  // Neither readers nor members may remove documents; a role that may not read one does not learn that it exists. Repeating it
  // returns the receipt.
  'DELETE /api/v1/documents/{document_id}': { expected: only(200, managers), onServer: [200, 202], keeps: true },
  'GET /api/v1/removals': { expected: signedIn(200), says: total({}) },
  'GET /api/v1/removals/{removal_id}': { expected: only(200, managers) },
  'POST /api/v1/removals/{removal_id}/restore': { expected: only(200, managers), onServer: [200, 409], keeps: true },
  'GET /api/v1/indexes': { expected: signedIn(200), says: total({ reader: 1 }) },
  'GET /api/v1/indexes/{index_name}': { expected: only(200, [...managers, 'reader']) },
  'PATCH /api/v1/indexes/{index_name}': {
    expected: only(200, managers, ['reader']),
    body: () => ({ description: 'x' }),
  },
  // The second role to remove it gets 404.
  'DELETE /api/v1/indexes/{index_name}': {
    expected: only(204, managers, ['reader']),
    onServer: [204, 404],
    keeps: true,
  },
  'GET /api/v1/documents/suggest': { expected: signedIn(200), query: '?q=of' },
  // No model answers questions there.
  'POST /api/v1/documents/ask': { expected: signedIn(503), body: () => ({ question: 'who?' }) },
  'POST /api/v1/saved-searches': { expected: signedIn(201), body: () => ({ name: 'new', request: {} }) },
  'GET /api/v1/saved-searches': { expected: signedIn(200), says: total({ reader: 1, admin: 0 }) },
  'GET /api/v1/saved-searches/{search_id}': { expected: only(200, ['owner', 'reader']) },
  'PUT /api/v1/saved-searches/{search_id}': {
    expected: only(200, ['owner'], ['reader']),
    body: () => ({ name: 'renamed', request: { query: 'tide' } }),
  },
  'DELETE /api/v1/saved-searches/{search_id}': { expected: only(204, ['owner'], ['reader']) },
  // Marks are private; a document that a role may not read cannot be marked.
  'POST /api/v1/judged-queries': {
    expected: only(200, ['owner']),
    body: ({ ids }) => ({ query: 'tide', document_id: ids['document_id'], is_relevant: true }),
  },
  'GET /api/v1/judged-queries': { expected: signedIn(200), says: total({ admin: 0 }) },
  'POST /api/v1/judged-queries/measurements': { expected: only(201, ['owner']) },
  'GET /api/v1/judged-queries/measurements': { expected: signedIn(200) },
  'DELETE /api/v1/judged-queries/{query_id}': { expected: only(204, ['owner']) },
  'GET /api/v1/search-options': { expected: signedIn(200) },
  'POST /api/v1/documents/search': { expected: signedIn(200), body: () => ({}) },
  'POST /api/v1/graphs': {
    expected: only(202, ['owner']),
    body: ({ ids }) => ({ document_id: ids['document_id'], template: invoiceTemplate }),
  },
  'GET /api/v1/graphs': { expected: signedIn(200), says: total({}) },
  'GET /api/v1/graphs/{graph_id}': { expected: only(200, managers) },
  'DELETE /api/v1/graphs/{graph_id}': { expected: only(204, managers) },
  'GET /api/v1/graphs/{graph_id}/result': { expected: only(200, ['owner'], ['admin']) },
  'GET /api/v1/graphs/{graph_id}/files/{name}': { expected: only(200, ['owner'], ['admin']) },
  // The graph is made of one document.
  'POST /api/v1/graphs/{graph_id}/update': { expected: only(409, managers), body: () => ({}) },
  'PATCH /api/v1/graphs/{graph_id}': {
    expected: only(409, ['owner'], ['admin']),
    body: () => ({ readers: ['reader'] }),
  },
  'GET /api/v1/graphs/templates': { expected: signedIn(200) },
  'POST /api/v1/graphs/template': {
    expected: only(200, ['owner']),
    body: ({ ids }) => ({ document_ids: [ids['document_id']] }),
  },
  'GET /api/v1/graphs/{graph_id}/documents': { expected: only(409, managers) },
  'GET /api/v1/graphs/{graph_id}/pairs': { expected: only(409, managers) },
  'POST /api/v1/graphs/{graph_id}/pairs': {
    expected: only(409, managers),
    body: () => ({ decisions: [{ nodes: ['x', 'y'], state: 'same' }] }),
  },
  'GET /api/v1/graphs/{graph_id}/nodes': { expected: only(200, ['owner'], ['admin']) },
  'GET /api/v1/graphs/{graph_id}/neighbours': { expected: only(404, ['owner'], ['admin']), query: '?node=x' },
  'GET /api/v1/graphs/{graph_id}/paths': { expected: only(404, ['owner'], ['admin']), query: '?from=x&to=y' },
  'GET /api/v1/graphs/{graph_id}/passages': { expected: only(200, ['owner'], ['admin']), query: '?query=x' },
  'GET /api/v1/graphs/{graph_id}/statistics': { expected: only(200, ['owner'], ['admin']) },

  'GET /api/v1/openapi.json': { expected: open(200) },
  'GET /api/v1/docs': { expected: open(200) },
  'GET /api/v1/redoc': { expected: open(200) },
  'GET /api/v1/docs/assets/{file}': { expected: open(200) },
};
