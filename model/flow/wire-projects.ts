import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { literals } from '../literals';
import { UserName } from '../login/user-name';
import { projectRoles } from '../project/roles';
import { readOnly } from '../read-only';
import { count, isoTime, nullableText } from '../wire-parts';
import { FlowId } from './wire-flows';

/** The path parameter and member `project_id`: a UUID in lower case. */
export const ProjectId = Type.String({ pattern: FlowId.pattern, description: 'UUID in lower case.' });

const name = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^(?=.*\\S)[^\\u0000-\\u001f]*$',
  description: 'Unique among all projects.',
});
const description = Type.Union([Type.String({ maxLength: 10_000 }), Type.Null()]);
const tags = Type.Union([Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 36 }), Type.Null()]);
const members = Type.Union([
  Type.Array(UserName, {
    maxItems: 1000,
    description:
      'User names that see the project and its flows. `roles` says what they may do; default: change the flows.',
  }),
  Type.Null(),
]);
const memberRole = Type.Object({ user: UserName, role: literals(projectRoles) }, { additionalProperties: false });
const roles = Type.Union([
  Type.Array(memberRole, {
    maxItems: 1000,
    description:
      'Roles of members: `viewer` sees the flows, `runner` also runs them, `editor` (default) also changes them and their schedules, `manager` also changes the project and its members.',
  }),
  Type.Null(),
]);
const owner = Type.String({ minLength: 1, maxLength: 256, description: 'The owner, who can transfer ownership.' });
const optional = {
  description: Type.Optional(description),
  tags: Type.Optional(tags),
  members: Type.Optional(members),
  roles: Type.Optional(roles),
};

const readOnlyMembers = readOnly(
  'project_id',
  'flow_count',
  'created_on',
  'modified_on',
  'created_by',
  'modified_by',
  'href',
);

/** Request body for creating a project. The sender becomes the owner. */
export const ProjectCreate = closedObject('ProjectCreate', {
  name,
  ...optional,
  ...readOnlyMembers,
  ...readOnly('owner'),
});
export type ProjectCreate = Static<typeof ProjectCreate>;

/** Request body for replacing a project. Absent members are cleared, except the owner and the roles of remaining members. */
export const ProjectReplace = closedObject('ProjectReplace', {
  name,
  ...optional,
  owner: Type.Optional(owner),
  ...readOnlyMembers,
});
export type ProjectReplace = Static<typeof ProjectReplace>;

/** Request body for changing a project, with at least one member. `null` clears a member. */
export const ProjectPatch = closedObject('ProjectPatch', {
  name: Type.Optional(name),
  ...optional,
  owner: Type.Optional(owner),
  ...readOnlyMembers,
});
export type ProjectPatch = Static<typeof ProjectPatch>;

/** A project with its number of flows. */
export const ProjectReply = closedObject('Project', {
  project_id: ProjectId,
  name: Type.String(),
  description: nullableText,
  tags: Type.Array(Type.String()),
  owner: Type.String(),
  members: Type.Array(Type.String()),
  roles: Type.Array(memberRole),
  flow_count: count,
  created_on: isoTime,
  modified_on: isoTime,
  created_by: Type.String(),
  modified_by: Type.String(),
  href: Type.String(),
});
export type ProjectReply = Static<typeof ProjectReply>;

const page = {
  total_count: count,
  offset: count,
  limit: Type.Integer({ minimum: 1 }),
  first: Type.String(),
  next: nullableText,
  prev: nullableText,
};

/** One page of projects; the links are absolute and keep the filters. */
export const ProjectPage = Type.Object({ projects: Type.Array(ProjectReply), ...page }, { $id: 'ProjectPage' });
export type ProjectPage = Static<typeof ProjectPage>;

/** Statistics of the runs of a flow. */
export const JobRunSummary = Type.Object(
  {
    total_runs: count,
    last_run_id: Type.String(),
    last_run_status: Type.String(),
    last_run_start_time: Type.Union([Type.Integer(), Type.Null()], { description: 'Seconds since 1970.' }),
    status_counts: Type.Record(Type.String(), count),
  },
  { $id: 'JobRunSummary' },
);
export type JobRunSummary = Static<typeof JobRunSummary>;

/** A flow of a project without its definition; `job_run_summary` is null for a flow that never ran. */
export const ProjectFlow = Type.Object(
  {
    flow_id: FlowId,
    name: Type.String(),
    tags: Type.Array(Type.String()),
    created_on: isoTime,
    modified_on: isoTime,
    created_by: Type.String(),
    modified_by: Type.String(),
    job_run_summary: Type.Union([JobRunSummary, Type.Null()]),
  },
  { $id: 'ProjectFlow' },
);
export type ProjectFlow = Static<typeof ProjectFlow>;

/** One page of a project's flows. */
export const ProjectFlowPage = Type.Object({ flows: Type.Array(ProjectFlow), ...page }, { $id: 'ProjectFlowPage' });
export type ProjectFlowPage = Static<typeof ProjectFlowPage>;
