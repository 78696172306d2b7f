import type { User } from '../../model/access';
import type { FlowVersionContent } from '../../model/flow/version/versions';
import type { FlowReply } from '../../model/flow/wire-flows';
import type { ProjectReply } from '../../model/flow/wire-projects';
import type { MemberRole } from '../../model/project/roles';
import type { Person } from '../../model/run/rights';
import type { RunState } from '../../model/run/run';

/** A stored flow. */
export interface FlowRecord extends FlowReply {
  /** The user who last changed what the flow does, with the groups of that login. Absent in records of earlier versions. */
  editor?: Person;
  /** Number of writes of the record, for `If-Match`. Absent until the record is stored. */
  revision?: number;
  /** Set for a flow in the format of the graphical editor. The members of the flow are then derived from the definition. */
  elyra?: {
    definition: Record<string, unknown>;
    container_kind: 'project' | 'space' | null;
    /** The project, or the id of a container outside Docloom. */
    container_id: string | null;
    is_hidden: boolean;
    job_id: string | null;
  };
}

/** One version of a flow. Writes that change only project, owner, readers or secrets make no version. */
export interface FlowVersionInfo {
  /** Counts from 1. */
  version: number;
  saved_on: string;
  saved_by: string;
  /** Paths of the differences from the previous version, the first 20 of `total_changes`. */
  changes: string[];
  total_changes: number;
  is_current: boolean;
  restored_from?: number;
}

/** A version and its content. */
export interface FlowVersion extends FlowVersionInfo {
  content: FlowVersionContent;
}

/** Filter, order and page of a list of resources. `sort` names a member; a leading `-` means descending. */
export interface ResourceQuery {
  limit: number;
  offset: number;
  /** Part of the name, case-insensitive. */
  name?: string;
  /** At least one must match. */
  tags?: string[];
  sort?: string;
}
export interface FlowQuery extends ResourceQuery {
  projectId?: string;
  isElyra?: boolean;
  isHidden?: boolean;
}

/** Flows are visible to their owner and readers, to the owner and members of their project, and to administrators. */
export interface FlowsStore {
  /** Throws FLOW_ALREADY_EXISTS when the name is taken in the project, PROJECT_NOT_FOUND when the project was deleted. */
  create(flow: FlowRecord): Promise<FlowRecord>;
  /** Creates or replaces the flow with this id (command-line runs). */
  upsert(flow: FlowRecord): Promise<FlowRecord>;
  get(user: User, flowId: string): Promise<FlowRecord | undefined>;
  /** True for the owner and the readers of the flow, runners and higher roles of its project, and administrators. */
  mayRun(user: User, flow: Pick<FlowRecord, 'owner' | 'readers' | 'project_id'>): Promise<boolean>;
  /** True for the owner of the flow, editors and managers of its project, and administrators. */
  mayChange(user: User, flow: Pick<FlowRecord, 'owner' | 'project_id'>): Promise<boolean>;
  list(user: User, query: FlowQuery): Promise<{ items: FlowRecord[]; total: number }>;
  /** Returns undefined and changes nothing when the stored revision differs from the record's. Throws the errors of `create`. */
  replace(flow: FlowRecord, change?: { restoredFrom?: number }): Promise<FlowRecord | undefined>;
  /** False when the flow does not exist or has another revision. */
  remove(flowId: string, revision?: number): Promise<boolean>;
  /** Versions of a flow, newest first. The last 100 earlier versions are stored, at most 20 MB. The caller checks rights. */
  listVersions(
    flowId: string,
    page: { limit: number; offset: number },
  ): Promise<{ items: FlowVersionInfo[]; total: number }>;
  /** Undefined for a version that is not stored. The caller checks rights. */
  getVersion(flowId: string, version: number): Promise<FlowVersion | undefined>;
}

/** A group of flows with an owner and members. */
export interface ProjectRecord extends Omit<ProjectReply, 'flow_count' | 'href' | 'roles'> {
  /** Absent in records of earlier versions. Members without an entry are editors. */
  roles?: MemberRole[];
  /** Number of writes of the record, for `If-Match`. Absent until the record is stored. */
  revision?: number;
}

/** Projects are visible to their owner, their members and administrators. A project that is being removed is invisible. */
export interface ProjectsStore {
  /** Throws PROJECT_ALREADY_EXISTS when the name is taken. */
  create(project: ProjectRecord): Promise<ProjectRecord>;
  get(user: User, projectId: string): Promise<ProjectRecord | undefined>;
  list(user: User, query: ResourceQuery): Promise<{ items: ProjectRecord[]; total: number }>;
  /** The ids of the projects that the user owns or is a member of. */
  listIds(user: User): Promise<string[]>;
  /** Same as `replace` of flows. */
  replace(project: ProjectRecord): Promise<ProjectRecord | undefined>;
  /**
   * Removes the project and its flows. `finishRemovals` completes a removal that a crash interrupted. Returns false like `remove`
   * of flows.
   */
  remove(projectId: string, revision?: number): Promise<boolean>;
  /** Completes interrupted removals. */
  finishRemovals(): Promise<void>;
  /** Number of flows by project id; projects without flows are absent. */
  countFlows(projectIds: readonly string[]): Promise<Map<string, number>>;
}

/** Statistics of the runs of a flow, without sample runs. */
export interface FlowRunSummary {
  total: number;
  byStatus: Record<string, number>;
  last: { job_run_id: string; status: RunState; started_at: string | null };
}

/** Queries about the runs of flows. */
export interface FlowRuns {
  /** Ids of the unfinished runs of the flow, or of all flows of the project, according to their stored state. */
  listOpen(scope: { flowId: string } | { projectId: string }): Promise<string[]>;
  /** Ids of the flows of a project that have schedules. */
  listScheduledFlowIds(projectId: string): Promise<string[]>;
  /** By flow id; flows that never ran are absent. */
  summarize(flowIds: readonly string[]): Promise<Map<string, FlowRunSummary>>;
}
