import { isAdmin, type User } from '../../../model/access';
import { AppError } from '../../../model/errors';
import { getVersionContent } from '../../../model/flow/version/versions';
import { includesRole, type ProjectRole, findRole } from '../../../model/project/roles';
import { isFinal } from '../../../model/run/run';
import type {
  FlowRecord,
  FlowRuns,
  FlowsStore,
  ProjectRecord,
  ProjectsStore,
  ResourceQuery,
} from '../../../services/flow/ports';
import type { RunRecord } from '../../../services/run/run-record';

/** The state that the stores of flows and projects read. */
interface State {
  flows: FlowRecord[];
  projects: ProjectRecord[];
  runs: RunRecord[];
  schedules: { flow_id: string }[];
}

/** Flows in memory that behave like the store. */
export function memoryFlows(state: State, adminGroups: readonly string[] = []): FlowsStore {
  const mayRead = (user: User) => (flow: FlowRecord) =>
    isAdmin(user, adminGroups) ||
    flow.owner === user.username ||
    flow.readers.includes(user.username) ||
    state.projects.some((project) => project.project_id === flow.project_id && isMember(user)(project));
  const refuseTaken = (flow: FlowRecord) => {
    if (state.flows.some(({ flow_name, flow_id }) => flow_name === flow.flow_name && flow_id !== flow.flow_id))
      throw new AppError('FLOW_ALREADY_EXISTS', `A flow with the name '${flow.flow_name}' exists already.`);
  };
  const hasRole = (user: User, flow: Pick<FlowRecord, 'owner' | 'project_id'>, needed: ProjectRole) =>
    isAdmin(user, adminGroups) ||
    flow.owner === user.username ||
    state.projects.some(
      (project) => project.project_id === flow.project_id && includesRole(findRole(project, user.username), needed),
    );
  return {
    create: async (flow) => {
      refuseTaken(flow);
      state.flows.push({ ...flow, revision: 1 });
      return { ...flow, revision: 1 };
    },
    upsert: async (flow) => flow,
    get: async (user, flowId) => state.flows.filter(mayRead(user)).find(({ flow_id }) => flow_id === flowId),
    mayRun: async (user, flow) => flow.readers.includes(user.username) || hasRole(user, flow, 'runner'),
    mayChange: async (user, flow) => hasRole(user, flow, 'editor'),
    list: async (user, query) => {
      const found = state.flows
        .filter(mayRead(user))
        .filter((flow) => query.projectId === undefined || flow.project_id === query.projectId)
        .filter((flow) => query.isElyra === undefined || (flow.elyra !== undefined) === query.isElyra)
        .map((flow) => ({ ...flow, name: flow.flow_name }));
      const { items, total } = getPage(found, query);
      return { items: items.map(({ name: _name, ...flow }) => flow), total };
    },
    replace: async (flow) => {
      refuseTaken(flow);
      return replaced(state.flows, flow, ({ flow_id }) => flow_id === flow.flow_id);
    },
    remove: async (flowId, revision) => {
      const before = state.flows.length;
      state.flows = state.flows.filter(
        (flow) => flow.flow_id !== flowId || (revision !== undefined && flow.revision !== revision),
      );
      return state.flows.length < before;
    },
    // Its only version is the present one.
    listVersions: async (flowId) => {
      const flow = state.flows.find(({ flow_id }) => flow_id === flowId);
      return { items: flow ? [getVersion(flow)] : [], total: flow ? 1 : 0 };
    },
    getVersion: async (flowId, version) => {
      const flow = state.flows.find(({ flow_id }) => flow_id === flowId);
      return flow && version === 1 ? { ...getVersion(flow), content: getVersionContent(flow) } : undefined;
    },
  };
}

function getVersion({ modified_on, modified_by }: FlowRecord) {
  return {
    version: 1,
    saved_on: modified_on,
    saved_by: modified_by,
    changes: [],
    total_changes: 0,
    is_current: true,
  };
}

/** Projects in memory that behave like the store. */
export function memoryProjects(state: State, adminGroups: readonly string[] = []): ProjectsStore {
  const maySee = (user: User) => (project: ProjectRecord) => isAdmin(user, adminGroups) || isMember(user)(project);
  const refuseTaken = (project: ProjectRecord) => {
    if (state.projects.some(({ name, project_id }) => name === project.name && project_id !== project.project_id))
      throw new AppError('PROJECT_ALREADY_EXISTS', `A project with the name '${project.name}' exists already.`);
  };
  return {
    create: async (project) => {
      refuseTaken(project);
      state.projects.push({ ...project, revision: 1 });
      return { ...project, revision: 1 };
    },
    get: async (user, projectId) =>
      state.projects.filter(maySee(user)).find(({ project_id }) => project_id === projectId),
    list: async (user, query) => getPage(state.projects.filter(maySee(user)), query),
    listIds: async (user) => state.projects.filter(isMember(user)).map(({ project_id }) => project_id),
    replace: async (project) => {
      refuseTaken(project);
      return replaced(state.projects, project, ({ project_id }) => project_id === project.project_id);
    },
    remove: async (projectId) => {
      const before = state.projects.length;
      state.flows = state.flows.filter(({ project_id }) => project_id !== projectId);
      state.projects = state.projects.filter(({ project_id }) => project_id !== projectId);
      return state.projects.length < before;
    },
    finishRemovals: async () => {},
    countFlows: async (ids) =>
      new Map(ids.map((id) => [id, state.flows.filter(({ project_id }) => project_id === id).length])),
  };
}

/** The state of the runs in memory for flows. */
export function memoryFlowRuns(state: State): FlowRuns {
  return {
    listOpen: async (scope) =>
      state.runs
        .filter((run) => ('flowId' in scope ? run.flow_id === scope.flowId : run.project_id === scope.projectId))
        .filter(({ status }) => !isFinal(status))
        .map(({ job_run_id }) => job_run_id),
    listScheduledFlowIds: async (projectId) =>
      state.flows
        .filter(
          ({ flow_id, project_id }) =>
            project_id === projectId && state.schedules.some((schedule) => schedule.flow_id === flow_id),
        )
        .map(({ flow_id }) => flow_id),
    summarize: async () => new Map(),
  };
}

function isMember(user: User): (project: ProjectRecord) => boolean {
  return ({ owner, members }) => owner === user.username || members.includes(user.username);
}

function getPage<T extends { name: string; tags?: string[] }>(all: readonly T[], query: ResourceQuery) {
  const { limit, offset, name, tags } = query;
  const found = all
    .filter((item) => !name || item.name.toLowerCase().includes(name.toLowerCase()))
    .filter((item) => !tags || tags.some((tag) => item.tags?.includes(tag)));
  return { items: found.slice(offset, offset + limit), total: found.length };
}

function replaced<T extends { revision?: number }>(all: T[], item: T, isIt: (candidate: T) => boolean): T | undefined {
  const place = all.findIndex((candidate) => isIt(candidate) && candidate.revision === item.revision);
  if (place < 0) return undefined;
  const written = { ...item, revision: (item.revision ?? 0) + 1 };
  all.splice(place, 1, written);
  return written;
}
