import { Type } from '@sinclair/typebox';
import { ElyraFlowCreate, ElyraFlowReply } from '../../model/elyra/wire';
import { FlowCreate, FlowId, FlowPage, FlowReply } from '../../model/flow/wire-flows';
import { createEtagHeader } from '../http/conditional';
import { listing, buildPageLinks } from '../http/page';
import { type RequestContext, flowPolicy, read } from '../http/policies';
import { reply, route } from '../http/route';
import { requireProject } from './access';
import { readAuthoringContent, readElyraContent, type FlowContent, refuseMalformed } from './content';
import { toFlowReply } from './reply';

/** Query parameter for the format of the body. */
export const isElyraBody = Type.Optional(
  Type.Boolean({ default: false, description: 'The body is in the format of the graphical editor.' }),
);
/** Query parameter for the format of the reply. */
const isElyraReply = Type.Optional(
  Type.Boolean({ description: 'True for the format of the graphical editor; default: as the flow was stored.' }),
);
/** A flow in either format. */
export const anyFlow = Type.Union([FlowReply, ElyraFlowReply]);

export const createFlow = route({
  method: 'POST',
  path: '/api/v1/flows',
  summary: 'Stores a flow.',
  description:
    'Only the structure is checked (names, connections, cycles); use /validation/validate_flow to check whether the flow can run.',
  query: Type.Object({ is_elyra: isElyraBody }),
  body: Type.Union([FlowCreate, ElyraFlowCreate]),
  bodyFor: (query) => (query.is_elyra ? ElyraFlowCreate : FlowCreate),
  invalidBodyCode: 'FLOW_INVALID_DATA',
  replies: { 201: anyFlow },
  errors: ['FLOW_INVALID_DATA', 'FLOW_ALREADY_EXISTS', 'FLOW_STORAGE_ERROR', 'PROJECT_NOT_FOUND', 'FORBIDDEN'],
  handler: async ({ body, query, user, services, options }) => {
    const content = query.is_elyra
      ? readElyraContent(body as ElyraFlowCreate)
      : readAuthoringContent(body as FlowCreate);
    refuseMalformed(content, services.operators);
    const placed = await checkProject(content, null, { user, services, options });
    const now = services.clock().toISOString();
    const record = await services.flows.create({
      ...placed,
      flow_id: services.newId(),
      owner: user.username,
      readers: [...new Set(body.readers)],
      flow_source: 'api',
      created_on: now,
      modified_on: now,
      created_by: user.username,
      modified_by: user.username,
      editor: { username: user.username, groups: user.groups },
    });
    return reply(201, toFlowReply(record), createEtagHeader(record));
  },
});

export const listFlows = route({
  method: 'GET',
  path: '/api/v1/flows',
  summary: 'Flows that you own or may read, newest first.',
  query: Type.Object({
    ...listing,
    sort: Type.Optional(
      Type.String({
        pattern: '^-?(flow_name|name|created_on|modified_on|owner)$',
        description: 'flow_name, created_on, modified_on or owner; a leading - for descending. Default -created_on.',
      }),
    ),
    project_id: Type.Optional(FlowId),
    is_elyra: Type.Optional(
      Type.Boolean({ description: 'Only flows that are (or are not) stored in the format of the graphical editor.' }),
    ),
    is_hidden: Type.Optional(Type.Boolean()),
  }),
  replies: { 200: FlowPage },
  handler: async ({ query, user, services, url }) => {
    const {
      limit = 100,
      offset = 0,
      name,
      tags,
      project_id: projectId,
      is_elyra: isElyra,
      is_hidden: isHidden,
    } = query;
    const sort = query.sort?.replace(/^(-?)name$/, '$1flow_name');
    const { items, total } = await services.flows.list(user, {
      limit,
      offset,
      name,
      tags,
      sort,
      projectId,
      isElyra,
      isHidden,
    });
    return {
      flows: items.map((record) => toFlowReply(record)),
      total_count: total,
      offset,
      limit,
      ...buildPageLinks(url, { limit, offset, total }),
    };
  },
});

export const getFlow = route({
  method: 'GET',
  path: '/api/v1/flows/{flow_id}',
  summary: 'One flow.',
  hasEtag: true,
  params: Type.Object({ flow_id: FlowId }),
  query: Type.Object({ is_elyra: isElyraReply }),
  replies: { 200: anyFlow },
  errors: ['FLOW_NOT_FOUND'],
  handler: async ({ params, query, ...context }) => {
    const record = await read(flowPolicy, params.flow_id, context);
    return reply(200, toFlowReply(record, query.is_elyra), createEtagHeader(record));
  },
});

/**
 * Checks the project of the content: an authoring flow must name one that the user can see, and viewers and runners may not add
 * flows to it. An unknown container of the graphical editor is kept, outside of all projects. An unchanged project is not checked.
 */
export async function checkProject(
  content: FlowContent,
  before: string | null,
  context: RequestContext,
): Promise<FlowContent> {
  const { project_id: project = null, elyra } = content;
  if (project === before) return content;
  const isOutside = elyra && project !== null && !(await context.services.projects.get(context.user, project));
  if (isOutside) return { ...content, project_id: null };
  await requireProject(project, context);
  return content;
}
