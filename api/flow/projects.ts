import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import {
  ProjectCreate,
  ProjectId,
  ProjectPage,
  ProjectPatch,
  ProjectReplace,
  ProjectReply,
} from '../../model/flow/wire-projects';
import type { MemberRole } from '../../model/project/roles';
import { listChangeable } from '../../model/read-only';
import type { ProjectRecord } from '../../services/flow/ports';
import { changeResource, checkIfMatch, createEtagHeader } from '../http/conditional';
import { listing, buildPageLinks, resourceOrder } from '../http/page';
import { type RequestContext, projectPolicy, read, requireMay } from '../http/policies';
import { reply, route } from '../http/route';
import { prepareRemoval } from './access';

const params = Type.Object({ project_id: ProjectId });
const changeErrors = [
  'PROJECT_NOT_FOUND',
  'PROJECT_INVALID_DATA',
  'PROJECT_ALREADY_EXISTS',
  'FLOW_STORAGE_ERROR',
  'FORBIDDEN',
  'CONFLICT',
] as const;

export const createProject = route({
  method: 'POST',
  path: '/api/v1/projects',
  summary: 'Creates a project. You become its owner.',
  body: ProjectCreate,
  invalidBodyCode: 'PROJECT_INVALID_DATA',
  replies: { 201: ProjectReply },
  errors: ['PROJECT_INVALID_DATA', 'PROJECT_ALREADY_EXISTS', 'FLOW_STORAGE_ERROR'],
  handler: async ({ body, user, services }) => {
    const now = services.clock().toISOString();
    const record = await services.projects.create({
      ...buildContent(body),
      project_id: services.newId(),
      owner: user.username,
      created_on: now,
      modified_on: now,
      created_by: user.username,
      modified_by: user.username,
    });
    return reply(201, toProjectReply(record, 0), createEtagHeader(record, 0));
  },
});

export const listProjects = route({
  method: 'GET',
  path: '/api/v1/projects',
  summary: 'Projects that you own or are a member of, newest first.',
  query: Type.Object({
    ...listing,
    sort: resourceOrder,
  }),
  replies: { 200: ProjectPage },
  handler: async ({ query, user, services, url }) => {
    const { limit = 100, offset = 0, name, tags, sort } = query;
    const { items, total } = await services.projects.list(user, { limit, offset, name, tags, sort });
    const counts = await services.projects.countFlows(items.map(({ project_id }) => project_id));
    return {
      projects: items.map((record) => toProjectReply(record, counts.get(record.project_id) ?? 0)),
      total_count: total,
      offset,
      limit,
      ...buildPageLinks(url, { limit, offset, total }),
    };
  },
});

export const getProject = route({
  method: 'GET',
  path: '/api/v1/projects/{project_id}',
  summary: 'A project with the number of its flows.',
  hasEtag: true,
  params,
  replies: { 200: ProjectReply },
  errors: ['PROJECT_NOT_FOUND'],
  handler: async ({ params, ...context }) =>
    replyWithProject(await read(projectPolicy, params.project_id, context), context),
});

export const replaceProject = route({
  method: 'PUT',
  path: '/api/v1/projects/{project_id}',
  summary: 'Replaces a project. Its id, owner, creation time and flows are kept.',
  isConditional: true,
  params,
  body: ProjectReplace,
  invalidBodyCode: 'PROJECT_INVALID_DATA',
  replies: { 200: ProjectReply },
  errors: changeErrors,
  handler: async ({ body, params, header, ...context }) => {
    const buildReplacement = (stored: ProjectRecord) => ({
      ...buildContent(keepRoles(body, stored)),
      owner: body.owner ?? stored.owner,
    });
    return changeProject(params.project_id, context, header('If-Match'), buildReplacement);
  },
});

export const patchProject = route({
  method: 'PATCH',
  path: '/api/v1/projects/{project_id}',
  summary: 'Changes the given members of a project; null clears a member.',
  isConditional: true,
  params,
  body: ProjectPatch,
  invalidBodyCode: 'PROJECT_INVALID_DATA',
  replies: { 200: ProjectReply },
  errors: changeErrors,
  handler: async ({ body, params, header, ...context }) => {
    const changeable = listChangeable(ProjectPatch);
    const input = Object.fromEntries(Object.entries(body).filter(([name]) => changeable.includes(name)));
    if (Object.keys(input).length === 0)
      throw new AppError(
        'PROJECT_INVALID_DATA',
        `The body changes nothing; it must contain at least one of ${changeable.join(', ')}.`,
      );
    const buildPatched = (stored: ProjectRecord) => {
      const content = { ...stored, ...input, roles: body.roles } as ProjectReplace & { owner: string };
      return { ...buildContent(keepRoles(content, stored)), owner: content.owner };
    };
    return changeProject(params.project_id, context, header('If-Match'), buildPatched);
  },
});

export const deleteProject = route({
  method: 'DELETE',
  path: '/api/v1/projects/{project_id}',
  summary: 'Removes a project and its flows. Run records and indexed documents are kept.',
  description: 'If a crash interrupts the removal, the next request completes it; until then the project is invisible.',
  isConditional: true,
  params,
  query: Type.Object({
    force: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Cancel active runs of its flows first and wait until they have ended.',
      }),
    ),
  }),
  replies: { 204: Type.Void() },
  errors: [
    'PROJECT_NOT_FOUND',
    'FLOW_IN_USE',
    'FLOW_STORAGE_ERROR',
    'FORBIDDEN',
    'JOB_RUN_INVALID_STATE',
    'WORKFLOW_ENGINE_UNAVAILABLE',
  ],
  handler: async ({ params, query, header, ...context }) => {
    const { services } = context;
    const ifMatch = header('If-Match');
    const stored = await read(projectPolicy, params.project_id, context);
    checkIfMatch(ifMatch, stored);
    await requireMay(projectPolicy, 'own', stored, context);
    await prepareRemoval({ projectId: stored.project_id }, query.force ?? false, context);
    if (await services.projects.remove(stored.project_id, ifMatch === undefined ? undefined : stored.revision)) return;
    // Another user has changed or removed it since it was read.
    checkIfMatch(ifMatch, await read(projectPolicy, params.project_id, context));
  },
});

async function changeProject(
  projectId: string,
  context: RequestContext,
  ifMatch: string | undefined,
  buildChange: (stored: ProjectRecord) => Partial<ProjectRecord>,
) {
  const { services, user } = context;
  const record = await changeResource({
    ifMatch,
    read: () => read(projectPolicy, projectId, context),
    write: (changed) => services.projects.replace(changed),
    change: async (stored) => {
      await requireMay(projectPolicy, 'manage', stored, context);
      const changed = { ...stored, ...buildChange(stored) };
      if (changed.owner !== stored.owner) await requireMay(projectPolicy, 'own', stored, context);
      const modified_on = services.clock().toISOString();
      return { ...changed, modified_on, modified_by: user.username };
    },
  });
  return replyWithProject(record, context);
}

async function replyWithProject(record: ProjectRecord, { services }: RequestContext) {
  const counts = await services.projects.countFlows([record.project_id]);
  const count = counts.get(record.project_id) ?? 0;
  return reply(200, toProjectReply(record, count), createEtagHeader(record, count));
}

type Content = Pick<ProjectRecord, 'name' | 'description' | 'tags' | 'members' | 'roles'>;

function buildContent(body: ProjectCreate): Content {
  const members = [...new Set(body.members)];
  return {
    name: body.name,
    description: body.description ?? null,
    tags: [...new Set(body.tags)],
    members,
    roles: checkRoles(body.roles ?? [], members),
  };
}

/** Without `roles`, those who stay members keep theirs: a client that knows no roles must not make viewers editors. */
function keepRoles(body: ProjectReplace, { roles = [] }: ProjectRecord): ProjectReplace {
  if (body.roles !== undefined) return body;
  return { ...body, roles: roles.filter(({ user }) => body.members?.includes(user)) };
}

/** Roles need a member each, and a member has one role. */
function checkRoles(roles: readonly MemberRole[], members: readonly string[]): MemberRole[] {
  const seen = new Set<string>();
  for (const [index, { user }] of roles.entries()) {
    const refuse = (problem: string) => {
      const target = { type: 'field' as const, name: `roles.${index}.user` };
      throw new AppError('PROJECT_INVALID_DATA', `roles: '${user}' ${problem}.`, { target });
    };
    if (seen.has(user)) refuse('has a second role');
    if (!members.includes(user)) refuse('is not among the members');
    seen.add(user);
  }
  return [...roles];
}

function toProjectReply({ revision: _revision, ...record }: ProjectRecord, flowCount: number): ProjectReply {
  return { ...record, roles: record.roles ?? [], flow_count: flowCount, href: `/api/v1/projects/${record.project_id}` };
}
