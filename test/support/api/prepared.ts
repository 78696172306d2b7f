import { createHash, randomUUID } from 'node:crypto';
import { parameterExamples } from '../../../api/http/examples';
import type { ApiServices } from '../../../api/services';
import type { User } from '../../../model/access';
import { planFlow } from '../../../model/flow/plan-flow';
import type { FlowRecord, ProjectRecord } from '../../../services/flow/ports';
import type { Role, Stage } from '../../attack/matrix';
import { failedDocument, runRecord } from '../system/run-record';
import { memoryDocumentSets } from './document-set-services';
import { memoryGraphs } from './graph-services';
import { ledgerEntry } from './kept-documents';
import { memoryLibraryFiles } from './library-services';
import { memoryIndexes, memoryRemovals } from './removal-services';
import { memoryReviews, reviewOf } from './review-services';
import {
  alice,
  bob,
  carol,
  memoryServices,
  sampleFlow,
  startApi,
  type TestApi,
  testOperators,
  type TestState,
} from './server';

/** `member` is one of the project; `reader` is in the lists of readers of flow, set and library. */
export const people = {
  nobody: undefined,
  other: bob,
  reader: { username: 'rita', email: '', full_name: '', groups: [] },
  member: { username: 'mike', email: '', full_name: '', groups: [] },
  owner: alice,
  admin: carol,
} as const satisfies Record<Role, User | undefined>;

/** An api with one resource of each kind, all owned by `owner`, under the ids of the examples. */
export interface Prepared {
  api: TestApi;
  ids: Record<string, string>;
  stage: Stage;
}

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');
const idOf = (name: string) => parameterExamples[name] ?? '';

/** The state before every request: one resource of each kind, all owned by `owner`. */
export async function prepare(replace: Partial<ApiServices> = {}): Promise<Prepared> {
  const now = new Date().toISOString();
  const stamps = { created_on: now, modified_on: now, created_by: alice.username, modified_by: alice.username };
  const project: ProjectRecord = {
    project_id: idOf('project_id'),
    name: 'project',
    description: null,
    tags: [],
    owner: alice.username,
    members: [people.member.username],
    revision: 1,
    ...stamps,
  };
  const flow: FlowRecord = {
    ...sampleFlow('flow'),
    flow_id: idOf('flow_id'),
    project_id: project.project_id,
    owner: alice.username,
    readers: [people.reader.username],
    flow_source: 'api',
    flow_version: '2.0',
    revision: 1,
    ...stamps,
  };
  const run = runRecord({
    job_run_id: idOf('job_run_id'),
    flow_id: flow.flow_id,
    job_id: flow.flow_id,
    project_id: project.project_id,
    status: 'COMPLETED',
    ended_at: now,
  });
  run.snapshot.flow = sampleFlow('flow');
  run.snapshot.plan = planFlow(run.snapshot.flow, testOperators);
  const state: TestState = {
    flows: [flow],
    projects: [project],
    runs: [run],
    documents: [],
    engine: new Map(),
    removed: [],
    results: [],
    partsStartedAt: '2026-01-02T03:04:05.000Z',
    removedTables: [],
    failures: [
      failedDocument({
        id: idOf('failed_id'),
        document_id: `of-${alice.username}`,
        flow_id: flow.flow_id,
        job_run_id: run.job_run_id,
      }),
    ],
    schedules: [],
  };
  const setIds = [idOf('set_id'), '6ba7b810-9dad-41d1-80b4-00c04fd430c8'];
  const graphs = memoryGraphs(() => idOf('graph_id'));
  const services = {
    ...memoryServices(state, ['admins']),
    reviews: memoryReviews([
      reviewOf({ id: idOf('review_id'), flow_id: flow.flow_id, job_run_id: run.job_run_id, name: 'order.pdf' }),
    ]),
    removals: memoryRemovals(() => idOf('removal_id')),
    indexes: memoryIndexes([
      {
        name: idOf('index_name'),
        uuid: 'u1',
        owner: alice.username,
        writers: [people.reader.username],
        description: null,
        is_searched: true,
      },
    ]),
    graphs: graphs.services,
    ...memoryDocumentSets(() => setIds.shift() ?? randomUUID()),
    ...memoryLibraryFiles(
      () => idOf('file_id'),
      () => idOf('upload_id'),
    ),
  };
  const api = await startApi({ ...services, ...replace }, { adminGroups: ['admins'] });
  await services.schedules.create(
    {
      schedule_id: idOf('schedule_id'),
      flow_id: flow.flow_id,
      owner: alice.username,
      cron: '0 6 * * *',
      timezone: 'UTC',
      note: '',
      configuration: {},
      created_at: now,
    },
    flow,
  );
  await graphs.services.submit({
    owner: alice.username,
    source: { name: 'Invoice', document_id: `of-${alice.username}` },
    source_type: 'markdown',
    template: 'Invoice',
    options: {},
    content: async () => Buffer.from('text'),
    given: {},
  });
  await graphs.complete(idOf('graph_id'));
  await services.apiKeys.create({
    key_id: idOf('key_id'),
    name: 'own',
    owner: alice.username,
    scopes: ['read'],
    created_at: now,
    created_by: alice.username,
    expires_at: '2999-01-01T00:00:00.000Z',
    last_used_at: null,
  });
  services.sessions.noteUse({
    session_id: idOf('session_id'),
    username: alice.username,
    issued_at: now,
    expires_at: '2999-01-01T00:00:00.000Z',
    last_used_at: now,
    client_address: '127.0.0.1',
    user_agent: '',
  });
  await services.webhooks.create({
    webhook_id: idOf('webhook_id'),
    url: 'https://hooks.example.org/own',
    events: ['run.ended'],
    description: '',
    active: true,
    owner: alice.username,
    created_at: now,
  });
  await services.accounts.create({
    account_name: idOf('account_name'),
    description: '',
    groups: [],
    created_at: now,
    created_by: carol.username,
  });
  await services.connections.create(
    {
      connection_id: idOf('connection_id'),
      name: 'own',
      type: 'web',
      hosts: ['crm.example.org'],
      owner: alice.username,
      shared: false,
      users: [],
      groups: [],
      has_secret: true,
      created_at: now,
      updated_at: now,
    },
    'a secret',
  );
  await services.identityMaps.put(
    idOf('map_id'),
    { places: ['file:/srv/share'] },
    { user: carol.username, at: services.clock() },
  );
  // A document of the same owner that was removed before.
  await services.removals.removeDocuments([{ ...ledgerEntry({ id: 'earlier' }), job_id: 'job' }], {
    user: alice.username,
    withinMs: 0,
  });
  const readers = [people.reader.username];
  await services.savedSearches.create({
    search_id: idOf('search_id'),
    name: 'kept',
    request: { query: 'tide' },
    owner: alice.username,
    readers,
    created_at: now,
    updated_at: now,
  });
  const mark = { query: 'tide', document_id: idOf('document_id'), is_relevant: true };
  await services.judgedQueries.mark(alice.username, mark, now);
  const { set: linked } = await services.documentSets.getOrCreate({ name: 'one', owner: alice.username, readers });
  const { set: other } = await services.documentSets.getOrCreate({ name: 'two', owner: alice.username });
  const origin = { jobId: 'job', runId: run.job_run_id, operator: 'set', startedAt: now };
  await services.documentSets.write(linked.id, origin, [
    {
      id: 'of-alice',
      name: 'a.txt',
      path: 'a.txt',
      allowed_users: ['alice'],
      graph_ref: 'graphs/job/of-alice/graph/graph.json',
    },
  ]);
  const library = await services.documentLibraries.create({
    library_id: idOf('library_id'),
    name: 'Library',
    description: null,
    purpose: null,
    original_size: null,
    final_size: null,
    tags: [],
    owner: alice.username,
    readers,
    set_ids: [linked.id],
    created_by: alice.username,
    created_at: now,
    updated_at: now,
  });
  // A stored file, then an upload with all its parts.
  for (const name of ['report.pdf', 'annex.pdf']) {
    const announced = { name, size: 4, sha256: sha256Of('text'), uploadedBy: alice.username };
    const begun = await services.libraryUploads.begin(library, announced);
    if (!('upload' in begun)) continue;
    const upload = await services.libraryUploads.putPart(begun.upload, { number: 1, bytes: Buffer.from('text') });
    if (name === 'report.pdf') await services.libraryUploads.complete(upload, new AbortController().signal);
  }
  const ids = { ...parameterExamples, document_id: 'of-alice' };
  const sets = { linked: linked.id, other: other.id };
  return { api, ids, stage: { ids, sets, nameOf: (text) => text, flow: sampleFlow } };
}
