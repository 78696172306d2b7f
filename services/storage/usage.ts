import { AppError } from '../../model/errors';
import { iterateBatches } from '../../model/lists/batches';
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
  listNames(): Promise<string[]>;
  readSizes(names: readonly string[]): Promise<{ name: string; records: number; bytes: number }[]>;
}

interface Deps {
  mongo: Pick<Mongo, 'collection' | 'measureBytes'>;
  store: Pick<ObjectStore, 'listSizes'>;
  indexes: MeasuredIndexes;
  clock: () => Date;
  /** The most files and milliseconds that one measurement takes. */
  limits?: { files: number; ms: number };
}

/** Bytes and files of one kind, or of one job, run or graph. */
interface FileUsage {
  files: number;
  bytes: number;
}
type UsageByName = Map<string, FileUsage>;

const freshMs = 60_000;
const maxListed = 100;
/** Ids per database query. */
const batchSize = 1_000;
/** The kinds of files by the first segment of their keys. */
const kinds: Readonly<Record<string, string>> = {
  run: 'tables',
  documents: 'documents',
  sets: 'sets',
  libraries: 'libraries',
  graphs: 'graphs',
  'graph-builds': 'graphs',
};
/** Segments after which the id of an owner follows: a run, a job, or a job or graph. Also the member that adds up its bytes. */
const ownedKinds = { run: 'tables_bytes', documents: 'documents_bytes', graphs: 'graphs_bytes' } as const;

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
    guard(() => deps.mongo.measureBytes()),
    measureIndexes(deps.indexes),
  ]);
  const flows = await sumByFlow(deps.mongo, files.owners);
  return {
    measured_at: deps.clock().toISOString(),
    is_complete: files.isComplete,
    database_bytes,
    files: [...files.kinds].map(([kind, usage]) => ({ kind, ...usage })).toSorted(compareSizes),
    indexes,
    flows: flows.slice(0, maxListed),
    projects: await sumByProject(deps.mongo, flows),
  };
}

async function measureFiles({ store, limits = { files: 500_000, ms: 15_000 } }: Deps) {
  const files = { kinds: new Map() as UsageByName, owners: new Map() as UsageByName, isComplete: true };
  const until = performance.now() + limits.ms;
  let count = 0;
  for await (const { key, bytes } of store.listSizes('')) {
    if (count >= limits.files || performance.now() > until) {
      files.isComplete = false;
      break;
    }
    count += 1;
    const [segment = '', owner = ''] = key.split('/');
    addFile(files.kinds, kinds[segment] ?? 'other', bytes);
    if (segment in ownedKinds) addFile(files.owners, `${segment}/${owner}`, bytes);
  }
  return files;
}

function addFile(usages: UsageByName, name: string, bytes: number): void {
  const usage = usages.get(name) ?? { files: 0, bytes: 0 };
  usages.set(name, { files: usage.files + 1, bytes: usage.bytes + bytes });
}

/** Null when the server is unavailable; the rest of the report is still useful. */
async function measureIndexes(indexes: MeasuredIndexes): Promise<StorageReport['indexes']> {
  try {
    return (await indexes.readSizes(await indexes.listNames())).toSorted(compareSizes);
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('SEARCH_')) return null;
    throw error;
  }
}

type FlowUsage = StorageReport['flows'][number];

async function sumByFlow(mongo: Deps['mongo'], owners: UsageByName): Promise<FlowUsage[]> {
  const listIds = (segment: keyof typeof ownedKinds) =>
    [...owners.keys()].filter((key) => key.startsWith(`${segment}/`)).map((key) => key.slice(segment.length + 1));
  const ids = { runs: listIds('run'), jobs: listIds('documents'), graphs: listIds('graphs') };
  const flowsByOwner = await readFlows(mongo, ids);
  const usages = new Map<string, FlowUsage>();
  for (const [key, { bytes }] of owners) {
    const [segment, owner = ''] = key.split('/') as [keyof typeof ownedKinds, string?];
    const flow = flowsByOwner.get(owner);
    if (!flow) continue;
    const none = { tables_bytes: 0, documents_bytes: 0, graphs_bytes: 0, bytes: 0 };
    const usage = usages.get(flow.flow_id) ?? { ...flow, ...none };
    const member = ownedKinds[segment];
    usages.set(flow.flow_id, { ...usage, [member]: usage[member] + bytes, bytes: usage.bytes + bytes });
  }
  return [...usages.values()].toSorted(compareSizes);
}

type FlowNames = Pick<FlowUsage, 'flow_id' | 'flow_name' | 'project_id'>;

/** The flow of each run, job and graph. Graphs that no flow created have none. */
async function readFlows(
  mongo: Deps['mongo'],
  { runs, jobs, graphs }: Record<'runs' | 'jobs' | 'graphs', readonly string[]>,
): Promise<Map<string, FlowNames>> {
  const flowsByOwner = new Map<string, FlowNames>();
  const flowsById = new Map<string, FlowNames>();
  const runRecords = mongo.collection<{ _id: string; flow_id: string; flow_name: string; job_id: string }>('job_runs');
  const runMembers = { projection: { flow_id: 1, flow_name: 1, job_id: 1 } };
  for (const batch of iterateBatches(runs, batchSize)) {
    const records = await guard(() => runRecords.find({ _id: { $in: batch } }, runMembers).toArray());
    for (const { _id, flow_id, flow_name, job_id } of records) {
      const flow = { flow_id, flow_name, project_id: null };
      for (const id of [_id, job_id]) flowsByOwner.set(id, flow);
      flowsById.set(flow_id, flow);
    }
  }
  // The job of a flow without a stored run has the id of the flow.
  const jobsWithoutRuns = jobs.filter((id) => !flowsByOwner.has(id));
  for (const id of jobsWithoutRuns) flowsByOwner.set(id, { flow_id: id, flow_name: null, project_id: null });
  const flowRecords = mongo.collection<{ _id: string; flow_name: string; project_id?: string | null }>('flows');
  const flowMembers = { projection: { flow_name: 1, project_id: 1 } };
  const flowIds = [...new Set([...flowsById.keys(), ...jobsWithoutRuns, ...graphs])];
  for (const batch of iterateBatches(flowIds, batchSize)) {
    const records = await guard(() => flowRecords.find({ _id: { $in: batch } }, flowMembers).toArray());
    // A flow without a project has none, null or an empty one, depending on who wrote it.
    for (const { _id, flow_name, project_id } of records)
      flowsById.set(_id, { flow_id: _id, flow_name, project_id: project_id || null });
  }
  for (const id of graphs) {
    const flow = flowsById.get(id);
    if (flow) flowsByOwner.set(id, flow);
  }
  return new Map([...flowsByOwner].map(([id, flow]) => [id, flowsById.get(flow.flow_id) ?? flow]));
}

async function sumByProject(mongo: Deps['mongo'], flows: readonly FlowUsage[]): Promise<StorageReport['projects']> {
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

function compareSizes(item: { bytes: number }, other: { bytes: number }): number {
  return other.bytes - item.bytes;
}
