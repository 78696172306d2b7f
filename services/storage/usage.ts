import { AppError } from '../../model/errors';
import type { StorageReport } from '../../model/storage/wire';
import { guard, type Mongo } from './mongo';
import type { ObjectStore } from './object-store-port';

/** Measures the storage in use. */
export interface StorageUsage {
  /** At most a minute old: measuring walks over every file. */
  measure(): Promise<StorageReport>;
}

/** The indexes whose sizes are reported. */
export interface MeasuredIndexes {
  names(): Promise<string[]>;
  sizes(names: readonly string[]): Promise<{ name: string; records: number; bytes: number }[]>;
}

interface Deps {
  mongo: Pick<Mongo, 'collection' | 'bytes'>;
  store: Pick<ObjectStore, 'sizes'>;
  indexes: MeasuredIndexes;
  clock: () => Date;
  /** The most files and milliseconds that one measurement takes. */
  limits?: { files: number; ms: number };
}

/** Bytes and files of one kind, or of one job or run. */
interface Room {
  files: number;
  bytes: number;
}
type Rooms = Map<string, Room>;

const freshMs = 60_000;
const maxListed = 100;
/** Ids per database query. */
const idsAtOnce = 1_000;
/**
 * Key prefixes by kind of file. The next segment is a job or a graph below `graphs/` and `documents/`, and a run below
 * `run/`.
 */
const kinds: Readonly<Record<string, string>> = {
  run: 'tables',
  documents: 'documents',
  sets: 'sets',
  libraries: 'libraries',
  graphs: 'graphs',
  'graph-builds': 'graphs',
};

/** Measures database, files and indexes. Calls at the same time share one measurement. */
export function createStorageUsage(deps: Deps): StorageUsage {
  let cached: { at: number; report: Promise<StorageReport> } | undefined;
  return {
    measure: () => {
      const now = deps.clock().getTime();
      if (cached && now - cached.at < freshMs) return cached.report;
      const report = measure(deps);
      const measurement = { at: now, report };
      cached = measurement;
      report.catch(() => {
        if (cached === measurement) cached = undefined;
      });
      return report;
    },
  };
}

async function measure(deps: Deps): Promise<StorageReport> {
  const [files, database_bytes, indexes] = await Promise.all([
    measureFiles(deps),
    guard(() => deps.mongo.bytes()),
    measureIndexes(deps.indexes),
  ]);
  const flows = await sumByFlow(deps.mongo, files.owners);
  return {
    measured_at: deps.clock().toISOString(),
    is_complete: files.isComplete,
    database_bytes,
    files: [...files.kinds].map(([kind, room]) => ({ kind, ...room })).toSorted(compareSizes),
    indexes,
    flows: flows.slice(0, maxListed),
    projects: await sumByProject(deps.mongo, flows),
  };
}

async function measureFiles({ store, limits = { files: 500_000, ms: 15_000 } }: Deps) {
  const files = { kinds: new Map() as Rooms, owners: new Map() as Rooms, isComplete: true };
  const until = performance.now() + limits.ms;
  let count = 0;
  for await (const { key, bytes } of store.sizes('')) {
    if (count >= limits.files || performance.now() > until) {
      files.isComplete = false;
      break;
    }
    count += 1;
    const [room = '', owner = ''] = key.split('/');
    add(files.kinds, kinds[room] ?? 'other', bytes);
    if (['run', 'documents', 'graphs'].includes(room)) add(files.owners, `${room}/${owner}`, bytes);
  }
  return files;
}

function add(rooms: Rooms, name: string, bytes: number): void {
  const room = rooms.get(name) ?? { files: 0, bytes: 0 };
  rooms.set(name, { files: room.files + 1, bytes: room.bytes + bytes });
}

/** Null when the server is unavailable; the rest of the report is still useful. */
async function measureIndexes(indexes: MeasuredIndexes): Promise<StorageReport['indexes']> {
  try {
    return (await indexes.sizes(await indexes.names())).toSorted(compareSizes);
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('SEARCH_')) return null;
    throw error;
  }
}

type FlowRoom = StorageReport['flows'][number];

async function sumByFlow(mongo: Deps['mongo'], owners: Rooms): Promise<FlowRoom[]> {
  const ids = (room: string) =>
    [...owners.keys()].filter((key) => key.startsWith(`${room}/`)).map((key) => key.slice(room.length + 1));
  const flowOf = await readFlows(mongo, { runs: ids('run'), jobs: ids('documents'), graphs: ids('graphs') });
  const flows = new Map<string, FlowRoom>();
  for (const [key, { bytes }] of owners) {
    const [room = '', owner = ''] = key.split('/');
    const flow = flowOf.get(owner);
    if (!flow) continue;
    const none = { tables_bytes: 0, documents_bytes: 0, graphs_bytes: 0, bytes: 0 };
    const sum = flows.get(flow.flow_id) ?? { ...flow, ...none };
    const member = room === 'run' ? 'tables_bytes' : room === 'graphs' ? 'graphs_bytes' : 'documents_bytes';
    flows.set(flow.flow_id, { ...sum, [member]: sum[member] + bytes, bytes: sum.bytes + bytes });
  }
  return [...flows.values()].toSorted(compareSizes);
}

type FlowNames = Pick<FlowRoom, 'flow_id' | 'flow_name' | 'project_id'>;

/** The flow of each run, job and graph. Graphs that no flow created have none. */
async function readFlows(
  mongo: Deps['mongo'],
  { runs, jobs, graphs }: Record<'runs' | 'jobs' | 'graphs', readonly string[]>,
): Promise<Map<string, FlowNames>> {
  const names = new Map<string, FlowNames>();
  const flows = mongo.collection<{ _id: string; flow_name: string; project_id?: string | null }>('flows');
  const ofRuns = mongo.collection<{ _id: string; flow_id: string; flow_name: string; job_id: string }>('job_runs');
  const runFacts = { projection: { flow_id: 1, flow_name: 1, job_id: 1 } };
  const named = new Map<string, FlowNames>();
  for (const chunk of iterateChunks(runs)) {
    const records = await guard(() => ofRuns.find({ _id: { $in: chunk } }, runFacts).toArray());
    for (const { _id, flow_id, flow_name, job_id } of records) {
      const flow = { flow_id, flow_name, project_id: null };
      for (const id of [_id, job_id]) names.set(id, flow);
      named.set(flow_id, flow);
    }
  }
  const rest = jobs.filter((id) => !names.has(id));
  for (const id of rest) names.set(id, { flow_id: id, flow_name: null, project_id: null });
  for (const chunk of iterateChunks([...new Set([...named.keys(), ...rest, ...graphs])])) {
    const facts = { projection: { flow_name: 1, project_id: 1 } };
    const records = await guard(() => flows.find({ _id: { $in: chunk } }, facts).toArray());
    // A flow without a project has none, null or an empty one, depending on who wrote it.
    for (const { _id, flow_name, project_id } of records)
      named.set(_id, { flow_id: _id, flow_name, project_id: project_id || null });
  }
  for (const id of graphs) {
    const flow = named.get(id);
    if (flow) names.set(id, flow);
  }
  return new Map([...names].map(([id, flow]) => [id, named.get(flow.flow_id) ?? flow]));
}

async function sumByProject(mongo: Deps['mongo'], flows: readonly FlowRoom[]): Promise<StorageReport['projects']> {
  const sums = new Map<string, number>();
  for (const { project_id: id, bytes } of flows) if (id !== null) sums.set(id, (sums.get(id) ?? 0) + bytes);
  const largest = [...sums].map(([project_id, bytes]) => ({ project_id, bytes })).toSorted(compareSizes);
  const listed = largest.slice(0, maxListed);
  const projects = mongo.collection<{ _id: string; name: string }>('projects');
  const ids = listed.map(({ project_id }) => project_id);
  const records = await guard(() => projects.find({ _id: { $in: ids } }, { projection: { name: 1 } }).toArray());
  const names = new Map(records.map(({ _id, name }) => [_id, name]));
  return listed.map((item) => ({ ...item, name: names.get(item.project_id) ?? null }));
}

function* iterateChunks(ids: readonly string[]): Generator<string[]> {
  for (let from = 0; from < ids.length; from += idsAtOnce) yield ids.slice(from, from + idsAtOnce);
}

function compareSizes(item: { bytes: number }, other: { bytes: number }): number {
  return other.bytes - item.bytes;
}
