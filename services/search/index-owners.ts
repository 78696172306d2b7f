import { AppError } from '../../model/errors';
import { createWhenReady, isDuplicate, type Mongo } from '../storage/mongo';
import { createTurns } from '../storage/turns';
import type { AliasClaim, IndexName, IndexSpec, IndexWriter, Search, SearchTarget } from './ports';

/**
 * The owner of an index. The first write creates the record. It outlives the index; an index of the same name that is created
 * later has another id.
 */
export interface StoredOwner {
  /** Provider and UUID of the index; for Milvus also its address, because ids of small servers are not unique. */
  _id: string;
  name: string;
  owner: string;
  /** Absent in records of earlier versions. */
  created_at?: string;
  /** Jobs that may write for any user: those in which the owner wrote. */
  jobs: string[];
  /** Users with a grant of the owner. */
  writers: string[];
  /** Start of the run that set `writers`. An earlier run that is still going does not restore what a later one withdrew. */
  granted_at?: string;
  description?: string | null;
}
/** The parts of ledger and runs that reveal who wrote an index without a record. */
interface Entry {
  _id: string;
  job_id: string;
  run_id: string;
  indexes: [string, string][];
}
interface Run {
  _id: string;
  owner: string;
}

/** An index; `isNew` if it was just created, so that nobody can have written into it before. */
interface IndexPlace {
  name: string;
  uuid: string;
  isNew?: boolean;
}

/** Cached decisions: a run requests one for each part. They also limit how long a withdrawn grant counts in running runs. */
const maxDecisions = 1_000;
const decisionMs = 5_000;
/** Jobs of the ledger in which the earlier owner of an index is looked for. */
const maxEarlierJobs = 1_000;
/**
 * Servers without ids of their own use the name of a collection instead, so that equal ids mean the same collection only if
 * both were created at about the same time.
 */
const sameCreationMs = 10 * 60_000;

/**
 * A search in which indexes, collections and aliases have owners: their first writers. Throws INDEX_NOT_OWNED for anyone else
 * without a grant of the owner. An alias belongs to the owner of its index.
 */
export function withIndexOwners<Engine extends Search>(search: Engine, mongo: Mongo): Engine {
  const admit = createIndexGate(mongo);
  const takeTurn = createTurns(mongo);
  const admitAlias = async (
    { name: index, alias }: IndexName,
    target: SearchTarget | undefined,
    writer: IndexWriter,
    signal?: AbortSignal,
  ) => {
    if (alias === undefined) return;
    const holders = Object.entries(await search.listAliasHolders(alias, target, signal));
    for (const [name, uuid] of holders) if (name !== index) await admit({ name, uuid }, target, writer);
  };
  /** Returns the UUID of the index if it exists. */
  const admitBefore = async (
    { name, alias }: IndexName,
    target: SearchTarget | undefined,
    writer: IndexWriter,
    signal: AbortSignal,
  ) => {
    const uuid = (await search.findIndexUuids([name], target, signal))[name];
    if (uuid !== undefined) await admit({ name, uuid }, target, writer);
    await admitAlias({ name, alias }, target, writer, signal);
    return uuid;
  };
  return {
    ...search,
    async checkWriter(place: IndexName, target: SearchTarget | undefined, writer: IndexWriter, signal: AbortSignal) {
      await admitBefore(place, target, writer, signal);
    },
    async ensureIndex(spec: IndexSpec, target: SearchTarget | undefined, signal: AbortSignal) {
      const writer = requireWriter(spec.writer);
      const before = await admitBefore(spec, target, writer, signal);
      const uuid = await search.ensureIndex(spec, target, signal);
      await admit({ name: spec.name, uuid, isNew: before === undefined }, target, writer);
      return uuid;
    },
    async pointAlias(alias: string, index: string, target?: SearchTarget, claim?: AliasClaim) {
      const writer = requireWriter(claim?.writer);
      const uuid = (await search.findIndexUuids([index], target))[index];
      if (uuid !== undefined) await admit({ name: index, uuid }, target, writer);
      // In turns, so that of two users who claim a free alias at once the second sees the first. Accounts that may not read the id of
      // the server take another turn: for them, the store checks again.
      const server = await search.findServerId(target);
      await takeTurn(`the alias '${alias}' on ${server}`, async () => {
        const admitHolders = () => admitAlias({ name: index, alias }, target, writer);
        await admitHolders();
        await search.pointAlias(alias, index, target, { admit: admitHolders });
      });
    },
  };
}

/** Checks whether a writer may write into an index; the first writer becomes its owner. Throws INDEX_NOT_OWNED. */
export type IndexGate = (place: IndexPlace, target: SearchTarget | undefined, writer: IndexWriter) => Promise<void>;

export function createIndexGate(mongo: Mongo, now: () => number = Date.now): IndexGate {
  const owners = mongo.collection<StoredOwner>('index_owners');
  const admitted = new Map<string, number>();
  const whenReady = createWhenReady(() => owners.createIndex({ name: 1 }));
  const findOrCreateRecord = async (id: string, place: IndexPlace, writer: IndexWriter) => {
    const owner = (await owners.findOne({ _id: id })) ?? (await findElsewhere(id, place));
    if (owner) return owner;
    const initial = place.isNew
      ? { owner: writer.owner, jobs: [writer.jobId] }
      : await findEarlierOwner(mongo, place, writer);
    const record = { _id: id, name: place.name, writers: [], created_at: new Date(now()).toISOString(), ...initial };
    try {
      await owners.insertOne(record);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return (await owners.findOne({ _id: id })) ?? record;
    }
    // Two users who create an index at once under two spellings find each other here, and at least one of them withdraws.
    const other = await findElsewhere(id, place);
    if (other === undefined || other.owner === record.owner) return record;
    await owners.deleteOne({ _id: id });
    return other;
  };
  /** The record of the same index under another spelling of its server: a name, an address, a default left out. */
  const findElsewhere = async (id: string, { name, uuid, isNew }: IndexPlace) => {
    const [provider = ''] = id.split('/');
    const recent = new Date(now() - sameCreationMs).toISOString();
    const isOnlyName = isNew && uuid === name;
    const all = await owners.find({ name, ...(isOnlyName ? { created_at: { $gt: recent } } : {}) }).toArray();
    return all.find(({ _id }) => _id !== id && _id.startsWith(`${provider}/`) && _id.endsWith(`/${name}/${uuid}`));
  };
  const share = async (id: string, { jobId, grants, startedAt = '' }: IndexWriter) => {
    await owners.updateOne({ _id: id }, { $addToSet: { jobs: jobId } });
    if (!grants) return;
    const latest = { $or: [{ granted_at: { $exists: false } }, { granted_at: { $lte: startedAt } }] };
    await owners.updateOne({ _id: id, ...latest }, { $set: { writers: [...new Set(grants)], granted_at: startedAt } });
  };
  return (place: IndexPlace, target: SearchTarget | undefined, writer: IndexWriter) =>
    whenReady(async () => {
      const id = buildKey(place, target);
      const key = JSON.stringify([writer.runId, writer.users, id, writer.grants]);
      if (now() < (admitted.get(key) ?? 0)) return;
      const record = await findOrCreateRecord(id, place, writer);
      if (!mayWrite(record, writer)) throw createNotOwnedError(place.name);
      // Only runs of the owner, not those of administrators, share the index and grant access.
      if (writer.owner === record.owner && writer.users.every((user) => user === record.owner))
        await share(record._id, writer);
      if (admitted.size >= maxDecisions) admitted.clear();
      admitted.set(key, now() + decisionMs);
    });
}

function mayWrite({ owner, jobs, writers }: StoredOwner, { jobId, users }: IndexWriter): boolean {
  return jobs.includes(jobId) || users.every((user) => user === owner || writers.includes(user));
}

/** For an index that is older than this record: its writer according to the ledger, else the current writer. */
async function findEarlierOwner(
  mongo: Mongo,
  { name, uuid }: IndexPlace,
  writer: IndexWriter,
): Promise<Pick<StoredOwner, 'owner' | 'jobs'>> {
  const entries = mongo.collection<Entry>('ledger');
  const latestRuns = await entries
    .aggregate<{ _id: string; run: string }>([
      // Aggregations of the embedded database do not compare an element with a list that stands alone.
      { $match: { indexes: { $elemMatch: { $eq: [name, uuid] } } } },
      { $sort: { run_id: 1 } },
      { $group: { _id: '$job_id', run: { $first: '$run_id' } } },
      { $limit: maxEarlierJobs },
    ])
    .toArray();
  const others = latestRuns.filter(({ _id }) => _id !== writer.jobId);
  if (others.length === 0) return { owner: writer.owner, jobs: [writer.jobId] };
  const jobs = latestRuns.map(({ _id }) => _id);
  for (const { run } of others) {
    const earlier = await mongo.collection<Run>('job_runs').findOne({ _id: run });
    if (earlier) return { owner: earlier.owner, jobs };
  }
  // Its runs were removed, so its owner is unknown, and it stays with the jobs that wrote it.
  return { owner: '', jobs };
}

function buildKey({ name, uuid }: IndexPlace, target: SearchTarget | undefined): string {
  const provider = target?.provider ?? 'opensearch';
  if (provider === 'opensearch') return `opensearch/${uuid}`;
  const place = provider === 'milvus' || provider === 'pgvector' ? `${target?.host}:${target?.port}/` : '';
  return `${provider}/${place}${target?.database ?? 'default'}/${name}/${uuid}`;
}

function requireWriter(writer: IndexWriter | undefined): IndexWriter {
  if (writer) return writer;
  throw new AppError('INTERNAL_ERROR', 'The writer of the index is missing.');
}

function createNotOwnedError(name: string): AppError {
  return new AppError(
    'INDEX_NOT_OWNED',
    `The index or collection '${name}' belongs to another user. Choose another name, or ask its owner to name you in 'writers' of the operator that writes it.`,
  );
}
