import { User } from '../../model/access';
import { AppError } from '../../model/errors';
import { guard, isDuplicate, type Mongo, createWhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';
import { FlowVersions } from './flow-versions';
import type { StoredFlow } from './flows-store';
import type { ProjectRecord, ProjectsStore, ResourceQuery } from './ports';
import { buildPageQuery, createNameFilter } from './resource-list';
import { type StoredProject, createProjectFinder, createVisibleFilter } from './stored-project';

/**
 * Stores projects in MongoDB. An index makes names unique. A removal has three repeatable steps: mark the project, delete its
 * flows, delete the project. A flow that is written in the meantime is removed by the store of flows.
 */
export function createProjectsStore(
  mongo: Mongo,
  access: { adminGroups: readonly string[] } = { adminGroups: [] },
): ProjectsStore {
  return new MongoProjects(mongo, access);
}

class MongoProjects implements ProjectsStore {
  private readonly projects;
  private readonly flows;
  private readonly versions;
  private readonly findProjectIds;
  private readonly whenReady;

  constructor(
    mongo: Mongo,
    private readonly access: { adminGroups: readonly string[] },
  ) {
    this.projects = mongo.collection<StoredProject>('projects');
    this.flows = mongo.collection<StoredFlow>('flows');
    this.versions = new FlowVersions(mongo);
    this.findProjectIds = createProjectFinder(this.projects);
    this.whenReady = createWhenReady(async () => {
      await this.projects.createIndex({ name: 1 }, { unique: true });
      await this.projects.createIndex({ owner: 1, created_on: -1 });
      await this.projects.createIndex({ members: 1 });
    });
  }

  finishRemovals() {
    return guard(async () => {
      const marked = await this.projects.find({ deleting: true }, { projection: { _id: 1 } }).toArray();
      for (const { _id } of marked) await this.finish(_id);
    });
  }

  create(project: ProjectRecord) {
    return this.whenReady(async () => {
      await this.finishRemovals();
      const record = { ...project, revision: 1 };
      await this.projects.insertOne(toStored(record)).catch((error: unknown) => refuse(project, error));
      return record;
    });
  }

  get(user: User, projectId: string) {
    return guard(async () => {
      const stored = await this.projects.findOne({
        _id: projectId,
        ...createVisibleFilter(user, this.access.adminGroups),
      });
      return stored ? readStored(stored) : undefined;
    });
  }

  list(user: User, query: ResourceQuery) {
    return this.whenReady(async () => {
      await this.finishRemovals();
      const filter = {
        ...createVisibleFilter(user, this.access.adminGroups),
        ...(query.name ? { name: createNameFilter(query.name) } : {}),
        ...(query.tags && query.tags.length > 0 ? { tags: { $in: query.tags } } : {}),
      };
      return await readPage(this.projects, filter, buildPageQuery(query), readStored);
    });
  }

  listIds(user: User) {
    return guard(() => this.findProjectIds(user.username));
  }

  replace(project: ProjectRecord) {
    return this.whenReady(async () => {
      const revision = project.revision ?? 0;
      const record = { ...project, revision: revision + 1 };
      const { _id, ...replacement } = toStored(record);
      const { matchedCount } = await this.projects
        .replaceOne({ _id, revision, deleting: false }, replacement)
        .catch((error: unknown) => refuse(project, error));
      return matchedCount === 1 ? record : undefined;
    });
  }

  remove(projectId: string, revision?: number) {
    return guard(async () => {
      const { matchedCount } = await this.projects.updateOne(
        { _id: projectId, deleting: false, ...(revision === undefined ? {} : { revision }) },
        { $set: { deleting: true } },
      );
      if (matchedCount === 0) return false;
      await this.finish(projectId);
      return true;
    });
  }

  countFlows(projectIds: readonly string[]) {
    return guard(async () => {
      const records = await this.flows
        .aggregate<{ _id: string; count: number }>([
          { $match: { project_id: { $in: [...projectIds] } } },
          { $group: { _id: '$project_id', count: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(records.map(({ _id, count }) => [_id, count]));
    });
  }

  private async finish(projectId: string) {
    const flows = await this.flows.find({ project_id: projectId }, { projection: { _id: 1 } }).toArray();
    await this.versions.forget(flows.map(({ _id }) => _id));
    await this.flows.deleteMany({ project_id: projectId });
    await this.projects.deleteOne({ _id: projectId, deleting: true });
  }
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

function readStored({ _id, deleting: _deleting, ...project }: StoredProject): ProjectRecord {
  return { project_id: _id, ...project };
}
