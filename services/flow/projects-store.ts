import { AppError } from '../../model/errors';
import type { StoredFlow } from './flows-store';
import { guard, isDuplicate, type Mongo, onceReady } from '../storage/mongo';
import type { ProjectRecord, ProjectsStore } from './ports';
import { namePart, pageOf } from './resource-list';
import { type StoredProject, visibleProject } from './stored-project';

/**
 * Stores projects in MongoDB. An index makes names unique. A removal has three repeatable steps: mark the project, delete its
 * flows, delete the project. A flow that is written in the meantime is removed by the store of flows.
 */
export function createProjectsStore(
  mongo: Mongo,
  access: { adminGroups: readonly string[] } = { adminGroups: [] },
): ProjectsStore {
  const projects = mongo.collection<StoredProject>('projects');
  const flows = mongo.collection<StoredFlow>('flows');
  const ready = onceReady(async () => {
    await projects.createIndex({ name: 1 }, { unique: true });
    await projects.createIndex({ owner: 1, created_on: -1 });
    await projects.createIndex({ members: 1 });
  });

  const finish = async (projectId: string) => {
    await flows.deleteMany({ project_id: projectId });
    await projects.deleteOne({ _id: projectId, deleting: true });
  };
  const finishRemovals = async () => {
    const marked = await projects.find({ deleting: true }, { projection: { _id: 1 } }).toArray();
    for (const { _id } of marked) await finish(_id);
  };

  return {
    finishRemovals: () => guard(finishRemovals),
    create: (project) =>
      guard(async () => {
        await ready();
        await finishRemovals();
        const record = { ...project, revision: 1 };
        await projects.insertOne(toStored(record)).catch((error: unknown) => refuse(project, error));
        return record;
      }),
    get: (user, projectId) =>
      guard(async () => {
        const stored = await projects.findOne({ _id: projectId, ...visibleProject(user, access.adminGroups) });
        return stored ? fromStored(stored) : undefined;
      }),
    list: (user, query) =>
      guard(async () => {
        await ready();
        await finishRemovals();
        const filter = {
          ...visibleProject(user, access.adminGroups),
          ...(query.name ? { name: namePart(query.name) } : {}),
          ...(query.tags && query.tags.length > 0 ? { tags: { $in: query.tags } } : {}),
        };
        const { items, total } = await pageOf(projects, filter, query);
        return { items: items.map(fromStored), total };
      }),
    replace: (project) =>
      guard(async () => {
        await ready();
        const revision = project.revision ?? 0;
        const record = { ...project, revision: revision + 1 };
        const { _id, ...replacement } = toStored(record);
        const { matchedCount } = await projects
          .replaceOne({ _id, revision, deleting: false }, replacement)
          .catch((error: unknown) => refuse(project, error));
        return matchedCount === 1 ? record : undefined;
      }),
    remove: (projectId, revision) =>
      guard(async () => {
        const { matchedCount } = await projects.updateOne(
          { _id: projectId, deleting: false, ...(revision === undefined ? {} : { revision }) },
          { $set: { deleting: true } },
        );
        if (matchedCount === 0) return false;
        await finish(projectId);
        return true;
      }),
    flowCounts: (projectIds) =>
      guard(async () => {
        const found = await flows
          .aggregate<{ _id: string; count: number }>([
            { $match: { project_id: { $in: [...projectIds] } } },
            { $group: { _id: '$project_id', count: { $sum: 1 } } },
          ])
          .toArray();
        return new Map(found.map(({ _id, count }) => [_id, count]));
      }),
  };
}

function refuse(project: ProjectRecord, error: unknown): never {
  if (!isDuplicate(error)) throw error;
  throw new AppError('PROJECT_ALREADY_EXISTS', `A project with the name '${project.name}' exists already.`, {
    target: { type: 'field', name: 'name' },
  });
}

function toStored({ project_id, revision = 0, ...project }: ProjectRecord): StoredProject {
  return { _id: project_id, ...project, revision, deleting: false };
}

function fromStored({ _id, deleting: _deleting, ...project }: StoredProject): ProjectRecord {
  return { project_id: _id, ...project };
}
