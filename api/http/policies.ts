import { isAdmin, type User } from '../../model/access';
import { AppError, type ErrorCode } from '../../model/errors';
import { includesRole, type ProjectRole, findRole } from '../../model/project/roles';
import type { ConnectionAsker, ConnectionRecord } from '../../services/connection/store';
import type { DocumentLibraryRecord } from '../../services/document-set/document-libraries-store';
import type { DocumentSetRecord, ResourceAsker } from '../../services/document-set/document-sets-store';
import type { FlowRecord, ProjectRecord } from '../../services/flow/ports';
import type { FlowScheduleState } from '../../services/flow/schedules';
import type { GraphRecord } from '../../services/graph/store';
import type { ApiKeyRecord } from '../../services/login/api-keys';
import type { SessionRecord } from '../../services/login/sessions';
import type { RemovalRecord } from '../../services/removal/records';
import type { RunRecord } from '../../services/run/run-record';
import type { SavedSearch } from '../../services/search/saved-searches';
import type { OwnIndex } from '../../services/vector/index-catalogue';
import type { WebhookRecord } from '../../services/webhook/store';
import type { ApiOptions, ApiServices } from '../services';

/** The user of a request, and the services that it may use. The exchange of every authenticated request is one. */
export interface RequestContext {
  user: User;
  services: ApiServices;
  options: ApiOptions;
}

/** The rights of users to one kind of resource. */
interface Policy<Resource, Action extends string, Id = string> {
  /** The resource if the user may see it. */
  find(id: Id, context: RequestContext): Promise<Resource | undefined>;
  /** The error for a missing resource and for one that the user may not see, so that they cannot be told apart. */
  notFound(id: Id): AppError;
  /** Further rights of a user who sees the resource. */
  actions: Record<Action, Rule<Resource>>;
}

interface Rule<Resource> {
  allows(resource: Resource, context: RequestContext): boolean | Promise<boolean>;
  /** The message of FORBIDDEN. */
  refusal(resource: Resource): string;
}

/** The resource if the user may see it; otherwise the policy's "not found". */
export async function read<Resource, Action extends string, Id>(
  policy: Policy<Resource, Action, Id>,
  id: Id,
  context: RequestContext,
): Promise<Resource> {
  const resource = await policy.find(id, context);
  if (resource) return resource;
  throw policy.notFound(id);
}

/** The resource if the user may do this to it; "not found" if they may not even see it, else FORBIDDEN. */
export async function authorize<Resource, Action extends string, Id>(
  policy: Policy<Resource, Action, Id>,
  action: NoInfer<Action>,
  id: Id,
  context: RequestContext,
): Promise<Resource> {
  const resource = await read(policy, id, context);
  await requireMay(policy, action, resource, context);
  return resource;
}

/** Whether the user may do this to a resource that they see. */
export async function may<Resource, Action extends string, Id>(
  policy: Policy<Resource, Action, Id>,
  action: NoInfer<Action>,
  resource: Resource,
  context: RequestContext,
): Promise<boolean> {
  return policy.actions[action].allows(resource, context);
}

/** FORBIDDEN unless the user may do this to a resource that was read before. */
export async function requireMay<Resource, Action extends string, Id>(
  policy: Policy<Resource, Action, Id>,
  action: NoInfer<Action>,
  resource: Resource,
  context: RequestContext,
): Promise<void> {
  if (await may(policy, action, resource, context)) return;
  throw new AppError('FORBIDDEN', policy.actions[action].refusal(resource));
}

/** Throws FORBIDDEN unless the user is an administrator; `action` completes the message, for example `see identity maps`. */
export function requireAdmin({ user, options }: Pick<RequestContext, 'user' | 'options'>, action: string): void {
  if (!isAdmin(user, options.adminGroups))
    throw new AppError('FORBIDDEN', `Only administrators may ${action}. DOCLOOM_ADMIN_GROUPS names their groups.`);
}

/** The user in the form that stores filter by. */
export function buildAsker({
  user,
  options,
}: Pick<RequestContext, 'user' | 'options'>): ResourceAsker & ConnectionAsker {
  return { user, everyone: isAdmin(user, options.adminGroups) };
}

const ownsOrAdministers = (resource: { owner: string }, { user, options }: RequestContext) =>
  resource.owner === user.username || isAdmin(user, options.adminGroups);

/** Flows are seen by owner, readers, owner and members of their project, and administrators. */
export const flowPolicy: Policy<FlowRecord, 'run' | 'change' | 'share'> = {
  find: (id, { user, services }) => services.flows.get(user, id),
  notFound: (id) => createMissingError('FLOW_NOT_FOUND', `Flow with ID '${id}' not found.`, 'flow_id'),
  actions: {
    run: {
      allows: (flow, { user, services }) => services.flows.mayRun(user, flow),
      refusal: (flow) =>
        `You may see the flow '${flow.flow_name}', but as a viewer of its project you may not run it; that needs the role runner.`,
    },
    change: {
      allows: (flow, { user, services }) => services.flows.mayChange(user, flow),
      refusal: (flow) =>
        `You may read the flow '${flow.flow_name}'; its owner and the editors and managers of its project may change it.`,
    },
    share: {
      allows: ownsOrAdministers,
      refusal: (flow) =>
        `Only '${flow.owner}' and administrators may change the owner and the readers of the flow '${flow.flow_name}'.`,
    },
  },
};

const hasRole = (project: ProjectRecord, needed: ProjectRole, { user, options }: RequestContext) =>
  includesRole(findRole(project, user.username), needed) || isAdmin(user, options.adminGroups);

/** Projects are seen by their owner, their members, and administrators. */
export const projectPolicy: Policy<ProjectRecord, 'addFlows' | 'manage' | 'own'> = {
  find: (id, { user, services }) => services.projects.get(user, id),
  notFound: (id) => createMissingError('PROJECT_NOT_FOUND', `Project with ID '${id}' not found.`, 'project_id'),
  actions: {
    addFlows: {
      allows: (project, context) => hasRole(project, 'editor', context),
      refusal: (project) => `Only editors and managers of the project '${project.name}' may add flows to it.`,
    },
    manage: {
      allows: (project, context) => hasRole(project, 'manager', context),
      refusal: (project) =>
        `Only the owner and the managers of the project '${project.name}' and administrators may do this.`,
    },
    own: {
      allows: ownsOrAdministers,
      refusal: (project) =>
        `Only the owner of the project '${project.name}' and administrators may transfer or delete it.`,
    },
  },
};

/** A schedule is seen by everybody who sees its flow. Its runs are made in the name of the schedule's owner. */
export const schedulePolicy: Policy<
  { flow: FlowRecord; schedule: FlowScheduleState },
  'change',
  { flow_id: string; schedule_id: string }
> = {
  find: async ({ flow_id, schedule_id }, context) => {
    const flow = await read(flowPolicy, flow_id, context);
    const schedule = await context.services.schedules.get(flow.flow_id, schedule_id);
    return schedule && { flow, schedule };
  },
  notFound: ({ flow_id, schedule_id }) =>
    createMissingError(
      'SCHEDULE_NOT_FOUND',
      `The flow '${flow_id}' has no schedule with ID '${schedule_id}'.`,
      'schedule_id',
    ),
  actions: {
    change: {
      allows: ({ flow, schedule }, context) =>
        schedule.owner === context.user.username || ownsOrAdministers(flow, context),
      refusal: ({ schedule }) => `The schedule belongs to '${schedule.owner}'; you may only read it.`,
    },
  },
};

/** The role that the user has in the project of a run; undefined for those who are not members of it. */
async function readRoleInProject(
  { project_id: projectId }: RunRecord,
  { user, services }: RequestContext,
): Promise<ProjectRole | undefined> {
  const project = projectId === null ? undefined : await services.projects.get(user, projectId);
  return project && findRole(project, user.username);
}

const mayEditProject: Rule<RunRecord>['allows'] = async (run, context) =>
  ownsOrAdministers(run, context) || includesRole(await readRoleInProject(run, context), 'editor');

/**
 * Runs are visible to their owner, to administrators and to the members of the project in which the run was started. Members
 * see state and counts; details of documents are for the owner and, without names, for administrators.
 */
export const runPolicy: Policy<RunRecord, 'control' | 'repeat' | 'readPlan' | 'readDocuments' | 'remove'> = {
  find: async (id, context) => {
    const run = await context.services.runsStore.get(id);
    if (!run) return undefined;
    return ownsOrAdministers(run, context) || (await readRoleInProject(run, context)) ? run : undefined;
  },
  notFound: (id) => createMissingError('JOB_RUN_NOT_FOUND', `Job run with ID '${id}' not found.`, 'job_run_id'),
  actions: {
    control: {
      allows: mayEditProject,
      refusal: ({ owner }) =>
        `Only '${owner}', the editors and managers of the project and administrators may cancel, pause or change the run.`,
    },
    repeat: {
      allows: mayEditProject,
      refusal: ({ owner }) =>
        `Only '${owner}', the editors and managers of the project and administrators may repeat the run.`,
    },
    readPlan: {
      allows: mayEditProject,
      refusal: ({ owner }) =>
        `Only '${owner}', the editors and managers of the project and administrators may see what the run executes.`,
    },
    readDocuments: {
      allows: ownsOrAdministers,
      refusal: ({ owner }) => `Only '${owner}' and administrators may read what the run reports of single documents.`,
    },
    remove: {
      allows: ownsOrAdministers,
      refusal: ({ owner }) => `Only '${owner}' and administrators may delete the run.`,
    },
  },
};

/** Graphs are visible to their owner and to administrators; their content, like that of documents, is for the owner only. */
export const graphPolicy: Policy<GraphRecord, 'readFiles' | 'askCorpus' | 'configure' | 'change'> = {
  find: (id, context) => context.services.graphs.get(buildAsker(context), id),
  notFound: (id) => createMissingError('GRAPH_NOT_FOUND', `Graph with ID '${id}' not found.`, 'graph_id'),
  actions: {
    readFiles: {
      allows: (graph, { user }) => graph.owner === user.username,
      refusal: (graph) => `Only '${graph.owner}', who asked for the graph, may read its files.`,
    },
    // Administrators see that the graph exists; its content is for its readers, each limited to the documents that they may
    // read.
    askCorpus: {
      allows: ({ owner, readers = [] }, { user }) => owner === user.username || readers.includes(user.username),
      refusal: (graph) => `Only '${graph.owner}' and the readers of the graph may ask it.`,
    },
    // It affects what readers see and what the owner pays for.
    configure: {
      allows: (graph, { user }) => graph.owner === user.username,
      refusal: (graph) => `Only '${graph.owner}' may change the settings of the graph and decide about its nodes.`,
    },
    change: {
      allows: ownsOrAdministers,
      refusal: (graph) => `Only '${graph.owner}' and administrators may update or delete the graph.`,
    },
  },
};

/** Document sets are seen by their owner, their readers, and administrators. */
export const documentSetPolicy: Policy<DocumentSetRecord, 'change'> = {
  find: (id, context) => context.services.documentSets.get(buildAsker(context), id),
  notFound: (id) => createMissingError('DOCUMENT_SET_NOT_FOUND', `Document set with ID '${id}' not found.`, 'set_id'),
  actions: {
    change: {
      allows: ownsOrAdministers,
      refusal: (set) => `Only '${set.owner}' and administrators may change or delete the document set '${set.name}'.`,
    },
  },
};

/**
 * Document libraries are seen by their owner, their readers, and administrators. Their files are for the owner and the
 * readers, as documents are; only the owner adds files, because readers see them on the owner's authority.
 */
export const documentLibraryPolicy: Policy<DocumentLibraryRecord, 'change' | 'readFiles' | 'changeFiles'> = {
  find: (id, context) => context.services.documentLibraries.get(buildAsker(context), id),
  notFound: (id) =>
    createMissingError('DOCUMENT_LIBRARY_NOT_FOUND', `Document library with ID '${id}' not found.`, 'library_id'),
  actions: {
    change: {
      allows: ownsOrAdministers,
      refusal: (library) =>
        `Only '${library.owner}' and administrators may change or delete the document library '${library.name}'.`,
    },
    readFiles: {
      allows: ({ owner, readers }, { user }) => owner === user.username || readers.includes(user.username),
      refusal: (library) => `Only '${library.owner}' and the readers of '${library.name}' may see its files.`,
    },
    changeFiles: {
      allows: ({ owner }, { user }) => owner === user.username,
      refusal: (library) => `Only '${library.owner}' may add or remove files of '${library.name}'.`,
    },
  },
};

/** Connections are visible to their users and to administrators. Secrets are never shown. */
export const connectionPolicy: Policy<ConnectionRecord, 'change' | 'remove'> = {
  find: (id, context) => context.services.connections.get(buildAsker(context), id),
  notFound: (id) =>
    createMissingError('CONNECTION_NOT_FOUND', `Connection with ID '${id}' not found.`, 'connection_id'),
  actions: {
    change: {
      // Somebody's own secret must not go to a host of an administrator's choice.
      allows: ({ shared, owner }, { user, options }) =>
        shared ? isAdmin(user, options.adminGroups) : owner === user.username,
      refusal: ({ shared }) =>
        shared ? 'Only administrators may change shared connections.' : 'Only its owner may change this connection.',
    },
    remove: {
      allows: ({ shared, owner }, { user, options }) =>
        isAdmin(user, options.adminGroups) || (!shared && owner === user.username),
      refusal: () => 'Only administrators may remove shared connections.',
    },
  },
};

/**
 * API keys are visible to their owner and to administrators, who may revoke them; administrators also manage keys of service
 * accounts.
 */
export const apiKeyPolicy: Policy<ApiKeyRecord, never> = {
  find: async (id, context) => {
    const key = await context.services.apiKeys.get(id);
    return key && ownsOrAdministers(key, context) ? key : undefined;
  },
  notFound: (id) => createMissingError('API_KEY_NOT_FOUND', `API key with ID '${id}' not found.`, 'key_id'),
  actions: {},
};

/** Sessions are seen and ended by whom they log in, and by administrators. */
export const sessionPolicy: Policy<SessionRecord, never> = {
  find: async (id, context) => {
    const session = await context.services.sessions.get(id);
    return session && ownsOrAdministers({ owner: session.username }, context) ? session : undefined;
  },
  notFound: (id) => createMissingError('SESSION_NOT_FOUND', `Session with ID '${id}' not found.`, 'session_id'),
  actions: {},
};

/** Webhooks are visible to their owner and to administrators; secrets are never shown. */
export const webhookPolicy: Policy<WebhookRecord, never> = {
  find: async (id, context) => {
    const webhook = await context.services.webhooks.get(id);
    return webhook && ownsOrAdministers(webhook, context) ? webhook : undefined;
  },
  notFound: (id) => createMissingError('WEBHOOK_NOT_FOUND', `Webhook with ID '${id}' not found.`, 'webhook_id'),
  actions: {},
};

/** The user who requested the removal and administrators may see its receipt. */
export const removalPolicy: Policy<RemovalRecord, never> = {
  find: async (id, context) => {
    const removal = await context.services.removals.get(id);
    const { user, options } = context;
    return removal && (removal.requested_by === user.username || isAdmin(user, options.adminGroups))
      ? removal
      : undefined;
  },
  notFound: (id) => createMissingError('REMOVAL_NOT_FOUND', `Removal with ID '${id}' not found.`, 'removal_id'),
  actions: {},
};

/** Indexes are visible to their owner, to users who may write into them, and to administrators. */
export const indexPolicy: Policy<OwnIndex, 'change'> = {
  find: (name, { user, services, options }) => services.indexes.get(user, options.adminGroups, name),
  notFound: (name) => createMissingError('INDEX_NOT_FOUND', `Index '${name}' not found.`, 'index_name'),
  actions: {
    change: {
      allows: ownsOrAdministers,
      refusal: ({ name }) => `Only its owner and administrators may describe or drop the index '${name}'.`,
    },
  },
};

function createMissingError(code: ErrorCode, message: string, parameter: string): AppError {
  return new AppError(code, message, { target: { type: 'parameter', name: parameter } });
}

/** The same error for a missing document and for one that the user may not know of. */
export function createDocumentNotFoundError(): AppError {
  return createMissingError('DOCUMENT_NOT_FOUND', 'Document not found.', 'document_id');
}

/** Saved searches are visible to their owner and the readers whom the owner named, not to administrators. */
export const savedSearchPolicy: Policy<SavedSearch, 'change'> = {
  find: (id, { user, services }) => services.savedSearches.get(user, id),
  notFound: (id) =>
    createMissingError('SAVED_SEARCH_NOT_FOUND', `Saved search with ID '${id}' not found.`, 'search_id'),
  actions: {
    change: {
      allows: ({ owner }, { user }) => owner === user.username,
      refusal: (search) => `Only '${search.owner}' may change or remove the saved search '${search.name}'.`,
    },
  },
};
