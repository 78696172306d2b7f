import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import { isAdmin, type User } from '../../model/access';
import { AppError } from '../../model/errors';
import type { FlowDefinition } from '../../model/flow/flow';
import { includesRole, type ProjectRole, findRole } from '../../model/project/roles';
import { batchReads } from '../pacing/request-batching';
import { guard, isDuplicate, type Mongo, createWhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';
import type { SealedCollection } from '../storage/sealing/rotation';
import { openJson, type Sealer } from '../storage/sealing/sealer';
import { FlowVersions, type StoredVersion } from './flow-versions';
import type { FlowQuery, FlowRecord, FlowsStore } from './ports';
import { buildPageQuery, createNameFilter } from './resource-list';
import { type StoredProject, createProjectFinder } from './stored-project';

/** The stored form. The definition is JSON text because its keys may contain dots and dollar signs. */
export interface StoredFlow {
  _id: string;
  flow_name: string;
  /** Empty when the flow belongs to no project. */
  project_id: string;
  owner: string;
  readers: string[];
  tags: string[];
  definition: string;
  /** The graphical part as JSON text; absent for flows in the authoring format. */
  elyra?: string;
  is_hidden: boolean;
  flow_source: FlowRecord['flow_source'];
  flow_version: string;
  created_on: string;
  modified_on: string;
  created_by: string;
  modified_by: string;
  revision: number;
  /**
   * The scope in which the name is unique, and the name. Absent in records of earlier versions until a process has started since.
   */
  name_key?: string;
  /** Absent until the flow is changed for the first time. */
  version?: StoredVersion;
}

/**
 * Stores flows in MongoDB. An index makes names unique, also under concurrent requests: per project, or per owner outside
 * projects.
 */
export function createFlowsStore(
  mongo: Mongo,
  access: { adminGroups: readonly string[] } = { adminGroups: [] },
): FlowsStore {
  return new MongoFlows(mongo, access);
}

class MongoFlows implements FlowsStore {
  private readonly flows;
  private readonly projects;
  private readonly whenReady;
  private readonly find;
  private readonly findProjectIds;
  private readonly kept;

  constructor(
    private readonly mongo: Mongo,
    private readonly access: { adminGroups: readonly string[] },
  ) {
    this.flows = mongo.collection<StoredFlow>('flows');
    this.projects = mongo.collection<StoredProject>('projects');
    this.kept = new FlowVersions(mongo);
    this.whenReady = createWhenReady(async () => {
      await this.flows.createIndex({ name_key: 1 }, { unique: true, sparse: true });
      await addNameKeys(this.flows);
      // Each index ends in the default sort order, so that MongoDB merges them instead of sorting.
      await this.flows.createIndex({ owner: 1, created_on: -1, _id: 1 });
      await this.flows.createIndex({ readers: 1, created_on: -1, _id: 1 });
      await this.flows.createIndex({ project_id: 1, created_on: -1, _id: 1 });
      await this.flows.createIndex({ created_on: -1, _id: 1 });
    });
    this.find = batchReads((ids) => this.flows.find({ _id: { $in: ids } }).toArray());
    this.findProjectIds = createProjectFinder(this.projects);
  }

  create(flow: FlowRecord) {
    return this.whenReady(async () => {
      const record = { ...flow, revision: 1 };
      await this.insert(toStored(record, this.mongo.sealer));
      return record;
    });
  }

  upsert(flow: FlowRecord): Promise<FlowRecord> {
    return this.whenReady(async () => {
      const existing = await this.flows.findOne({ name_key: buildNameKey(flow) });
      if (!existing) {
        const record = { ...flow, revision: 1 };
        const { _id, ...stored } = toStored(record, this.mongo.sealer);
        await this.kept.forget([_id]);
        await this.flows.replaceOne({ _id }, stored, { upsert: true }).catch((error: unknown) => refuse(flow, error));
        return record;
      }
      if (existing.owner !== flow.owner) {
        throw new AppError(
          'FLOW_ALREADY_EXISTS',
          `The flow '${flow.flow_name}' belongs to '${existing.owner}'; '${flow.owner}' cannot replace it.`,
        );
      }
      const record: FlowRecord = {
        ...flow,
        flow_id: existing._id,
        created_on: existing.created_on,
        created_by: existing.created_by,
        readers: existing.readers,
        revision: existing.revision + 1,
      };
      const version = await this.kept.next(this.unseal(existing), record);
      const { _id, ...stored } = toStored(record, this.mongo.sealer);
      const { matchedCount } = await this.flows
        .replaceOne({ _id, revision: existing.revision }, { ...stored, version })
        .catch((error: unknown) => refuse(flow, error));
      return matchedCount === 1 ? record : this.upsert(flow);
    });
  }

  mayRun(user: User, flow: Pick<FlowRecord, 'owner' | 'readers' | 'project_id'>) {
    return guard(async () => flow.readers.includes(user.username) || this.hasRole(user, flow, 'runner'));
  }

  mayChange(user: User, flow: Pick<FlowRecord, 'owner' | 'project_id'>) {
    return guard(() => this.hasRole(user, flow, 'editor'));
  }

  get(user: User, flowId: string) {
    return guard(async () => {
      const stored = await this.find(flowId);
      return stored && (await this.mayReach(user, stored)) ? readStored(stored, this.mongo.sealer) : undefined;
    });
  }

  list(user: User, query: FlowQuery) {
    return this.whenReady(async () => {
      const reach = await this.findReach(user);
      const filter = { ...(reach ? { $or: reach } : {}), ...buildConditions(query) };
      return await readPage(this.flows, filter, buildPageQuery(query), (flow) => readStored(flow, this.mongo.sealer));
    });
  }

  replace(flow: FlowRecord, { restoredFrom }: { restoredFrom?: number } = {}) {
    return this.whenReady(async () => {
      const written = await this.write(flow, flow.revision ?? 0, restoredFrom);
      return written && readStored(written, this.mongo.sealer);
    });
  }

  remove(flowId: string, revision?: number) {
    return guard(async () => {
      const { deletedCount } = await this.flows.deleteOne({
        _id: flowId,
        ...(revision === undefined ? {} : { revision }),
      });
      if (deletedCount === 1) await this.kept.forget([flowId]);
      return deletedCount === 1;
    });
  }

  listVersions(flowId: string, page: { limit: number; offset: number }) {
    return guard(async () => {
      const stored = await this.find(flowId);
      return stored ? this.kept.list(this.unseal(stored), page) : { items: [], total: 0 };
    });
  }

  getVersion(flowId: string, version: number) {
    return guard(async () => {
      const stored = await this.find(flowId);
      return stored && this.kept.get(this.unseal(stored), version);
    });
  }

  private unseal(stored: StoredFlow): FlowRecord & { version?: StoredVersion } {
    return { ...readStored(stored, this.mongo.sealer), version: stored.version };
  }

  private async isProjectGone(projectId: string) {
    return (
      projectId !== '' && (await this.projects.countDocuments({ _id: projectId, deleting: false }, { limit: 1 })) === 0
    );
  }

  private async insert(stored: StoredFlow) {
    await this.flows.insertOne(stored).catch((error: unknown) => refuse(stored, error));
    // The project may have been deleted between the check and this write; the flow would then never be deleted.
    if (!(await this.isProjectGone(stored.project_id))) return;
    await this.flows.deleteOne({ _id: stored._id });
    throw createProjectError(stored.project_id);
  }

  private async write(
    flow: FlowRecord,
    revision: number,
    restoredFrom: number | undefined,
  ): Promise<StoredFlow | undefined> {
    const stored = toStored(flow, this.mongo.sealer);
    if (await this.isProjectGone(stored.project_id)) throw createProjectError(stored.project_id);
    const before = await this.flows.findOne({ _id: flow.flow_id, revision });
    if (!before) return undefined;
    const version = await this.kept.next(this.unseal(before), flow, restoredFrom);
    const written = { ...stored, version, revision: revision + 1 };
    const { _id, ...replacement } = written;
    const { matchedCount } = await this.flows
      .replaceOne({ _id, revision }, replacement)
      .catch((error: unknown) => refuse(stored, error));
    if (matchedCount === 1) return written;
    // Otherwise the versions of a flow deleted in the meantime would never be removed.
    if ((await this.flows.countDocuments({ _id }, { limit: 1 })) === 0) await this.kept.forget([_id]);
    return undefined;
  }

  /** True for the owner of the flow, for administrators, and for members of its project with this role. */
  private async hasRole(user: User, flow: { owner: string; project_id?: string | null }, needed: ProjectRole) {
    if (flow.owner === user.username || isAdmin(user, this.access.adminGroups)) return true;
    if (!flow.project_id) return false;
    const project = await this.projects.findOne(
      { _id: flow.project_id, deleting: false },
      { projection: { owner: 1, members: 1, roles: 1 } },
    );
    return project !== null && includesRole(findRole(project, user.username), needed);
  }

  private async mayReach(user: User, stored: StoredFlow) {
    return stored.readers.includes(user.username) || this.hasRole(user, stored, 'viewer');
  }

  /** Conditions that limit a list to what the user may see; undefined for administrators. */
  private async findReach(user: User): Promise<Filter<StoredFlow>[] | undefined> {
    if (isAdmin(user, this.access.adminGroups)) return undefined;
    const projectIds = await this.findProjectIds(user.username);
    return [
      { owner: user.username },
      { readers: user.username },
      ...(projectIds.length > 0 ? [{ project_id: { $in: projectIds } }] : []),
    ];
  }
}

function refuse(flow: { flow_name: string }, error: unknown): never {
  if (!isDuplicate(error)) throw error;
  throw new AppError('FLOW_ALREADY_EXISTS', `A flow with the name '${flow.flow_name}' exists already.`, {
    target: { type: 'field', name: 'flow_name' },
  });
}

function createProjectError(projectId: string): AppError {
  return new AppError('PROJECT_NOT_FOUND', `Project with ID '${projectId}' not found.`, {
    target: { type: 'field', name: 'project_id' },
  });
}

function buildConditions({ name, tags, projectId, isElyra, isHidden }: FlowQuery): Filter<StoredFlow> {
  return {
    ...(projectId === undefined ? {} : { project_id: projectId }),
    ...(name ? { flow_name: createNameFilter(name) } : {}),
    ...(tags && tags.length > 0 ? { tags: { $in: tags } } : {}),
    ...(isElyra === undefined ? {} : { elyra: { $exists: isElyra } }),
    ...(isHidden === undefined ? {} : { is_hidden: isHidden ? true : { $ne: true } }),
  };
}

/** The encrypted members of stored flows. */
export const sealedFlows: SealedCollection = {
  collection: 'flows',
  fields: { definition: 'json', elyra: 'json' },
  formatPlace: ({ _id }) => formatPlace(_id),
};

function formatPlace(flowId: string): string {
  return `flows/${flowId}`;
}

function toStored(flow: FlowRecord, sealer: Sealer): StoredFlow {
  const { flow_id, owner, readers, flow_source, flow_version, elyra, revision = 0, ...others } = flow;
  const { created_on, modified_on, created_by, modified_by, ...definition } = others;
  const sealed = sealer.seal({ definition, elyra }, formatPlace(flow_id));
  return {
    _id: flow_id,
    flow_name: flow.flow_name,
    project_id: flow.project_id ?? '',
    owner,
    readers,
    tags: flow.tags ?? [],
    definition: JSON.stringify(sealed.definition),
    ...(elyra ? { elyra: JSON.stringify(sealed.elyra) } : {}),
    is_hidden: elyra?.is_hidden ?? false,
    flow_source,
    flow_version,
    created_on,
    modified_on,
    created_by,
    modified_by,
    revision,
    name_key: buildNameKey(flow),
  };
}

function buildNameKey(flow: { flow_name: string; project_id?: string | null; owner: string }): string {
  const scope = flow.project_id ? `project/${flow.project_id}` : `owner/${flow.owner}`;
  return `${scope}/${flow.flow_name}`;
}

/** In earlier versions, names outside projects were unique per server. A record with a duplicate name stays readable. */
async function addNameKeys(flows: Collection<StoredFlow>): Promise<void> {
  const former = 'project_id_1_flow_name_1';
  if ((await flows.indexes()).some(({ name }) => name === former)) await flows.dropIndex(former).catch(() => undefined);
  for (;;) {
    const old = await flows.find({ name_key: { $exists: false } }, { limit: 500 }).toArray();
    if (old.length === 0) return;
    const writes = old.map((flow) => createKeyWrite(flow._id, buildNameKey(flow)));
    await flows.bulkWrite(writes, { ordered: false }).catch(async (error: unknown) => {
      if (!isDuplicate(error)) throw error;
      // Remaining records without a key have duplicate names.
      const left = await flows
        .find({ _id: { $in: old.map(({ _id }) => _id) }, name_key: { $exists: false } })
        .toArray();
      await flows.bulkWrite(left.map(({ _id }) => createKeyWrite(_id, `duplicate/${_id}`)));
    });
  }
}

function createKeyWrite(_id: string, name_key: string): AnyBulkWriteOperation<StoredFlow> {
  return { updateOne: { filter: { _id }, update: { $set: { name_key } } } };
}

function readStored(stored: StoredFlow, sealer: Sealer): FlowRecord {
  const { _id, definition, elyra, is_hidden: _hidden, name_key: _key, version: _version, ...shown } = stored;
  const { flow_name, tags, project_id, ...facts } = shown;
  return {
    ...(openJson(sealer, definition, formatPlace(_id)) as FlowDefinition),
    flow_name,
    tags,
    project_id: project_id || null,
    flow_id: _id,
    ...facts,
    ...(elyra ? { elyra: openJson(sealer, elyra, formatPlace(_id)) as FlowRecord['elyra'] } : {}),
  };
}
