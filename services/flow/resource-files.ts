import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type TSchema, Type } from '@sinclair/typebox';
import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import { FlowOperator } from '../../model/flow/flow';
import type { FlowDefinition } from '../../model/flow/flow';
import { describeRedirected, findRedirected } from '../../model/flow/redirected-secrets';
import { restoreSecrets } from '../../model/flow/restore-secrets';
import { maskSecrets } from '../../model/flow/secrets';
import { listProblems } from '../../model/validate';
import { type Mongo, createWhenReady } from '../storage/mongo';
import { createFlowsStore } from './flows-store';
import { createJsonFolder, type JsonFolder } from './json-folder';
import type { FlowRecord, FlowsStore, ProjectRecord, ProjectsStore } from './ports';
import { createProjectsStore } from './projects-store';

/** The stores of projects and flows. */
export interface ResourceStores {
  projects: ProjectsStore;
  flows: FlowsStore;
  /** Loads the files into the database, once. Otherwise the first use of a store does so. */
  load(): Promise<void>;
}

type RecordOf<T> = T & { revision?: number; owner: string; modified_on: string };
/** One kind of record, stored in the database and in a folder. */
interface Kind<T> {
  folder: JsonFolder;
  schema: TSchema;
  getId(record: T): string;
  /** Ignores access rights. */
  read(id: string): Promise<RecordOf<T> | undefined>;
  readPage(offset: number): Promise<RecordOf<T>[]>;
  create(record: T): Promise<unknown>;
  replace(record: T): Promise<unknown>;
}

const text = Type.String({ minLength: 1 });
const common = { owner: text, created_on: text, modified_on: text, created_by: text, modified_by: text };
const projectFile = Type.Object({ project_id: text, name: text, members: Type.Array(text), ...common });
const flowFile = Type.Object({ flow_id: text, flow_name: text, flow: Type.Array(FlowOperator), ...common });
const pageSize = 500;
/** This user reads all records. Nobody can log in as this user, because the name is empty. */
const keeper: User = { username: '', email: '', full_name: '', groups: ['keeper of files'] };

/**
 * Stores projects and flows in MongoDB and, with a folder, also as JSON files there: `projects/<id>.json` and `flows/<id>.json`.
 * Files are written with every change and loaded before the first use, so that a team can keep them in version control. The later
 * change wins, and the file wins when the times are equal. Secrets are masked in files, and loading a mask keeps the stored
 * secret. A missing file is written again: records can be removed only through the API.
 */
export function createResourceStores(
  mongo: Mongo,
  settings: { adminGroups: readonly string[]; folder?: string; warn?: (message: string) => void },
): ResourceStores {
  const flows = createFlowsStore(mongo, settings);
  const projects = createProjectsStore(mongo, settings);
  if (settings.folder === undefined) return { flows, projects, load: async () => {} };
  const { warn = () => {} } = settings;
  const all = { adminGroups: keeper.groups };
  const projectFiles = buildProjectKind(createProjectsStore(mongo, all), path.join(settings.folder, 'projects'));
  const flowFiles = buildFlowKind(createFlowsStore(mongo, all), path.join(settings.folder, 'flows'));
  const load = createWhenReady(async () => {
    await projects.finishRemovals();
    await loadKind(projectFiles, warn);
    await loadKind(flowFiles, warn);
  });
  return {
    load,
    projects: storeProjectsInFiles(projects, projectFiles, flowFiles, load),
    flows: storeFlowsInFiles(flows, flowFiles, load),
  };
}

function storeFlowsInFiles(flows: FlowsStore, kind: Kind<FlowRecord>, load: () => Promise<void>): FlowsStore {
  const { begin, after } = createWriter(kind, load);
  return {
    create: async (flow) => after(await begin(() => flows.create(flow)), ({ flow_id }) => flow_id),
    upsert: async (flow) => after(await begin(() => flows.upsert(flow)), ({ flow_id }) => flow_id),
    replace: async (flow, change) => after(await begin(() => flows.replace(flow, change)), () => flow.flow_id),
    remove: async (id, revision) => after(await begin(() => flows.remove(id, revision)), () => id),
    get: async (user, id) => load().then(() => flows.get(user, id)),
    mayRun: (user, flow) => flows.mayRun(user, flow),
    mayChange: (user, flow) => flows.mayChange(user, flow),
    listVersions: (id, page) => flows.listVersions(id, page),
    getVersion: (id, version) => flows.getVersion(id, version),
    list: async (user, query) => load().then(() => flows.list(user, query)),
  };
}

function storeProjectsInFiles(
  projects: ProjectsStore,
  kind: Kind<ProjectRecord>,
  flowFiles: Kind<FlowRecord>,
  load: () => Promise<void>,
): ProjectsStore {
  const { begin, after } = createWriter(kind, load);
  return {
    finishRemovals: () => projects.finishRemovals(),
    countFlows: (projectIds) => projects.countFlows(projectIds),
    create: async (project) => after(await begin(() => projects.create(project)), ({ project_id }) => project_id),
    replace: async (project) => after(await begin(() => projects.replace(project)), () => project.project_id),
    remove: async (id, revision) => {
      const removed = await after(await begin(() => projects.remove(id, revision)), () => id);
      if (removed) await removeOrphans(flowFiles, id);
      return removed;
    },
    get: async (user, id) => load().then(() => projects.get(user, id)),
    list: async (user, query) => load().then(() => projects.list(user, query)),
    listIds: async (user) => load().then(() => projects.listIds(user)),
  };
}

function createWriter<T>(kind: Kind<T>, load: () => Promise<void>) {
  return {
    begin: async <R>(write: () => Promise<R>): Promise<R> => {
      await load();
      await kind.folder.probe();
      return write();
    },
    after: async <R>(written: R, idOf: (written: NonNullable<R>) => string): Promise<R> => {
      if (written) await sync(kind, idOf(written));
      return written;
    },
  };
}

/**
 * Writes the stored record to its file. Repeats when the record changed in the meantime, so that the file holds the last write.
 */
async function sync<T>(kind: Kind<T>, id: string): Promise<void> {
  let before = await kind.read(id);
  for (;;) {
    if (before) await kind.folder.write(id, toContent(before));
    else await kind.folder.remove(id);
    const current = await kind.read(id);
    if (current?.revision === before?.revision) return;
    before = current;
  }
}

async function removeOrphans(kind: Kind<FlowRecord>, projectId: string): Promise<void> {
  for (const id of await kind.folder.listIds()) {
    const file = (await kind.folder.read(id).catch(() => undefined)) as Partial<FlowRecord> | undefined;
    if (file?.project_id === projectId && !(await kind.read(id))) await kind.folder.remove(id);
  }
}

async function loadKind<T>(kind: Kind<T>, warn: (message: string) => void): Promise<void> {
  const ids = await kind.folder.listIds();
  for (const id of ids) {
    const problem = await loadFile(kind, id);
    if (problem !== undefined) warn(`The file '${id}.json' is ignored: ${problem}`);
  }
  const filed = new Set(ids);
  for (let offset = 0; ; offset += pageSize) {
    const records = await kind.readPage(offset);
    for (const record of records) {
      const id = kind.getId(record);
      if (!filed.has(id)) await kind.folder.write(id, toContent(record));
    }
    if (records.length < pageSize) return;
  }
}

/** Loads the file into the database. Returns the reason when it cannot be loaded, else undefined. */
async function loadFile<T>(kind: Kind<T>, id: string): Promise<string | undefined> {
  let input: unknown;
  try {
    input = await kind.folder.read(id);
  } catch (error) {
    if (error instanceof AppError) throw error;
    return error instanceof Error ? error.message : String(error);
  }
  const problems = listProblems(kind.schema, input);
  if (problems.length > 0) return problems.map(({ pointer, message }) => `${pointer || '/'} ${message}`).join('; ');
  const file = input as RecordOf<T>;
  if (kind.getId(file) !== id) return `it contains the record '${kind.getId(file)}'; expected '${id}'.`;
  const stored = await kind.read(id);
  if (stored && isDeepStrictEqual(toContent(stored), toContent(file))) return undefined;
  if (stored && stored.modified_on > file.modified_on) {
    await kind.folder.write(id, toContent(stored));
    return undefined;
  }
  const { value, lost } = restoreSecrets(file, stored);
  if (lost.length > 0) return `no secret is stored for ${lost.join(', ')}; name it as \${DOCLOOM_SECRET_…}.`;
  const moved = stored && isFlow(stored) && isFlow(value) ? findRedirected(value, stored, file) : [];
  if (moved.length > 0) return moved.map((secret) => describeRedirected(secret)).join(' ');
  try {
    await (stored ? kind.replace({ ...value, revision: stored.revision }) : kind.create(value));
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return error.message;
    throw error;
  }
  return undefined;
}

function isFlow(record: object): record is FlowDefinition {
  return 'flow_name' in record && 'flow' in record;
}

/** The record as written to its file: without the revision, with secrets masked, as plain JSON. */
function toContent<T>({ revision: _revision, ...record }: RecordOf<T>): unknown {
  return JSON.parse(JSON.stringify(maskSecrets(record))) as unknown;
}

function buildProjectKind(store: ProjectsStore, folder: string): Kind<ProjectRecord> {
  const query = { limit: pageSize, sort: 'created_on' };
  return {
    folder: createJsonFolder(folder),
    schema: projectFile,
    getId: ({ project_id }) => project_id,
    read: (id) => store.get(keeper, id),
    readPage: async (offset) => (await store.list(keeper, { ...query, offset })).items,
    create: (project) =>
      store.create({ ...project, description: project.description ?? null, tags: project.tags ?? [] }),
    replace: (project) => store.replace(project),
  };
}

function buildFlowKind(store: FlowsStore, folder: string): Kind<FlowRecord> {
  const query = { limit: pageSize, sort: 'created_on' };
  const toWholeFlow = (flow: FlowRecord): FlowRecord => ({
    ...flow,
    readers: flow.readers ?? [],
    flow_source: flow.flow_source ?? 'api',
    flow_version: flow.flow_version ?? '2.0',
  });
  return {
    folder: createJsonFolder(folder),
    schema: flowFile,
    getId: ({ flow_id }) => flow_id,
    read: (id) => store.get(keeper, id),
    readPage: async (offset) => (await store.list(keeper, { ...query, offset })).items,
    create: (flow) => store.create(toWholeFlow(flow)),
    replace: (flow) => store.replace(toWholeFlow(flow)),
  };
}
