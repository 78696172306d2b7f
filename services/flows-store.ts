import { AppError } from '../model/errors';
import type { FlowDefinition } from '../model/flow';
import { guard, isDuplicate, type Mongo, onceReady } from './mongo';
import type { FlowRecord, FlowsStore } from './ports';

/** As stored: the definition is JSON text, since its keys may hold dots and dollar signs. */
interface StoredFlow {
  _id: string;
  flow_name: string;
  /** Empty where the flow belongs to no project, so that the unique index covers those too. */
  project_id: string;
  owner: string;
  readers: string[];
  tags: string[];
  definition: string;
  flow_source: FlowRecord['flow_source'];
  flow_version: string;
  created_on: string;
  modified_on: string;
  created_by: string;
  modified_by: string;
}

/** Flows in MongoDB. Names are unique within a project by an index, also under concurrent requests. */
export function createFlowsStore(mongo: Mongo): FlowsStore {
  const flows = mongo.collection<StoredFlow>('flows');
  const ready = onceReady(async () => {
    await flows.createIndex({ project_id: 1, flow_name: 1 }, { unique: true });
    await flows.createIndex({ owner: 1, created_on: -1 });
  });

  const refuse = (flow: FlowRecord, error: unknown): never => {
    if (!isDuplicate(error)) throw error;
    throw new AppError('FLOW_ALREADY_EXISTS', `A flow with the name '${flow.flow_name}' exists already.`, {
      target: { type: 'field', name: 'flow_name' },
    });
  };

  return {
    create: (flow) =>
      guard(async () => {
        await ready();
        await flows.insertOne(toStored(flow)).catch((error: unknown) => refuse(flow, error));
        return flow;
      }),
    upsert: (flow) =>
      guard(async () => {
        await ready();
        const existing = await flows.findOne({ flow_name: flow.flow_name, project_id: flow.project_id ?? '' });
        if (existing && existing.owner !== flow.owner) {
          throw new AppError(
            'FLOW_ALREADY_EXISTS',
            `The flow '${flow.flow_name}' belongs to '${existing.owner}'; '${flow.owner}' cannot replace it.`,
          );
        }
        const kept = existing
          ? {
              flow_id: existing._id,
              created_on: existing.created_on,
              created_by: existing.created_by,
              readers: existing.readers,
            }
          : {};
        const record = { ...flow, ...kept };
        await flows
          .replaceOne({ _id: record.flow_id }, toStored(record), { upsert: true })
          .catch((error: unknown) => refuse(flow, error));
        return record;
      }),
    get: (user, flowId) =>
      guard(async () => {
        const stored = await flows.findOne({
          _id: flowId,
          $or: [{ owner: user.username }, { readers: user.username }],
        });
        return stored ? fromStored(stored) : undefined;
      }),
    list: (user, { limit, offset, name, tags }) =>
      guard(async () => {
        await ready();
        const filter = {
          $or: [{ owner: user.username }, { readers: user.username }],
          ...(name ? { flow_name: { $regex: escapeRegExp(name), $options: 'i' } } : {}),
          ...(tags && tags.length > 0 ? { tags: { $in: tags } } : {}),
        };
        const total = await flows.countDocuments(filter);
        const items = await flows.find(filter).sort({ created_on: -1, _id: 1 }).skip(offset).limit(limit).toArray();
        return { items: items.map(fromStored), total };
      }),
  };
}

function toStored(flow: FlowRecord): StoredFlow {
  const {
    flow_id,
    owner,
    readers,
    flow_source,
    flow_version,
    created_on,
    modified_on,
    created_by,
    modified_by,
    ...definition
  } = flow;
  return {
    _id: flow_id,
    flow_name: flow.flow_name,
    project_id: flow.project_id ?? '',
    owner,
    readers,
    tags: flow.tags ?? [],
    definition: JSON.stringify(definition),
    flow_source,
    flow_version,
    created_on,
    modified_on,
    created_by,
    modified_by,
  };
}

function fromStored({ _id, definition, flow_name, tags, project_id, ...rest }: StoredFlow): FlowRecord {
  return {
    ...(JSON.parse(definition) as FlowDefinition),
    flow_name,
    tags,
    project_id: project_id || null,
    flow_id: _id,
    ...rest,
  };
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
