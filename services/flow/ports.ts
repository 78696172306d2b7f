import type { User } from '../../model/access';
import type { Person } from '../../model/run/acting';
import type { FlowDefinition } from '../../model/flow/flow';
import type { RunState } from '../../model/run/run';

/** A stored flow. */
export interface FlowRecord extends FlowDefinition {
  flow_id: string;
  owner: string;
  readers: string[];
  flow_source: 'api' | 'cli';
  flow_version: string;
  created_on: string;
  modified_on: string;
  created_by: string;
  modified_by: string;
  /** Who last changed what the flow does, with the groups of that login. Absent in records of earlier versions. */
  editor?: Person;
  /** Counts the writes of the record, for `If-Match`; absent until it is stored. */
  revision?: number;
  /** Set for a flow in the format of the graphical editor; the members of the flow are then read from the definition. */
  elyra?: {
    definition: Record<string, unknown>;
    container_kind: 'project' | 'space' | null;
    /** The project, or a container that is none of ours. */
    container_id: string | null;
    is_hidden: boolean;
    job_id: string | null;
  };
}

/** Filters, order and cut of a list of resources. `sort` names a member, descending with a leading `-`. */
export interface ResourceQuery {
  limit: number;
  offset: number;
  /** Part of the name, in any letter case. */
  name?: string;
  /** One of them must match. */
  tags?: string[];
  sort?: string;
}
export interface FlowQuery extends ResourceQuery {
  projectId?: string;
  isElyra?: boolean;
  isHidden?: boolean;
}

/** Flows are seen by owner, readers, owner and members of their project, and administrators. */
export interface FlowsStore {
  /** FLOW_ALREADY_EXISTS when the name is taken within the project; PROJECT_NOT_FOUND when that is gone. */
  create(flow: FlowRecord): Promise<FlowRecord>;
  /** Writes under the flow's id whether or not it exists (command-line runs). */
  upsert(flow: FlowRecord): Promise<FlowRecord>;
  get(user: User, flowId: string): Promise<FlowRecord | undefined>;
  /** True for the owner, the owner and the members of the project, and administrators. */
  mayChange(user: User, flow: Pick<FlowRecord, 'owner' | 'project_id'>): Promise<boolean>;
  list(user: User, query: FlowQuery): Promise<{ items: FlowRecord[]; total: number }>;
  /** Writes unless the stored revision is another than the record's: then undefined, and nothing is changed. Errors as `create`. */
  replace(flow: FlowRecord): Promise<FlowRecord | undefined>;
  /** False when the flow is gone or, where one is given, its revision is another. */
  remove(flowId: string, revision?: number): Promise<boolean>;
}

/** A group of flows with an owner and members. */
export interface ProjectRecord {
  project_id: string;
  name: string;
  description: string | null;
  tags: string[];
  owner: string;
  members: string[];
  created_on: string;
  modified_on: string;
  created_by: string;
  modified_by: string;
  /** Counts the writes of the record, for `If-Match`; absent until it is stored. */
  revision?: number;
}

/** Projects are seen by their owner, their members, and administrators. One that is being removed is seen by nobody. */
export interface ProjectsStore {
  /** PROJECT_ALREADY_EXISTS when the name is taken. */
  create(project: ProjectRecord): Promise<ProjectRecord>;
  get(user: User, projectId: string): Promise<ProjectRecord | undefined>;
  list(user: User, query: ResourceQuery): Promise<{ items: ProjectRecord[]; total: number }>;
  /** As `replace` of flows. */
  replace(project: ProjectRecord): Promise<ProjectRecord | undefined>;
  /** Removes the project and its flows; what a crash interrupts, `finishRemovals` completes. False as `remove` of flows. */
  remove(projectId: string, revision?: number): Promise<boolean>;
  /** Completes removals that were interrupted. */
  finishRemovals(): Promise<void>;
  /** Number of flows by project id; projects without flows are absent. */
  flowCounts(projectIds: readonly string[]): Promise<Map<string, number>>;
}

/** The runs of a flow in figures. */
export interface FlowRunSummary {
  total: number;
  byStatus: Record<string, number>;
  last: { job_run_id: string; status: RunState; started_at: string | null };
}

/** What flows need to know of their runs. */
export interface FlowRuns {
  /** Ids of runs whose stored state is not final: of the flow, or of all flows of the project. */
  open(scope: { flowId: string } | { projectId: string }): Promise<string[]>;
  /** Ids of the flows of a project that have schedules. */
  scheduled(projectId: string): Promise<string[]>;
  /** By flow id; flows that never ran are absent. */
  summaries(flowIds: readonly string[]): Promise<Map<string, FlowRunSummary>>;
}
