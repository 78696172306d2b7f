import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import type { FlowDefinition } from '../../model/flow';
import { validateFlow } from '../../model/flow-validation';
import { maskSecrets } from '../../model/secrets';
import { FlowCreate, FlowId, FlowPage, FlowReply } from '../../model/wire/flows';
import type { FlowRecord } from '../../services/ports';
import { pageLinks, paging } from '../page';
import { route } from '../route';

/** The findings that make a flow malformed, so that it is not even stored; all others are for validation. */
const structural = ['OPERATOR_NAME_REPEATED', 'DEPENDENCY_NOT_FOUND', 'CYCLIC_DEPENDENCY_DETECTED'];

export const createFlow = route({
  method: 'POST',
  path: '/api/v1/flows',
  summary: 'Stores a flow.',
  description:
    'The structure is checked (names, connections, cycles); whether it may run is for /validation/validate_flow.',
  tags: ['Flows'],
  auth: 'user',
  body: FlowCreate,
  invalidBodyCode: 'FLOW_INVALID_DATA',
  replies: { 201: FlowReply },
  errors: ['FLOW_INVALID_DATA', 'FLOW_ALREADY_EXISTS'],
  handler: async ({ body, user, services }) => {
    const definition = definitionOf(body);
    refuseMalformed(definition, services.operators);
    const now = services.clock().toISOString();
    const record = await services.flows.create({
      ...definition,
      flow_id: services.newId(),
      owner: user.username,
      readers: [...new Set(body.readers)],
      flow_source: 'api',
      flow_version: '2.0',
      created_on: now,
      modified_on: now,
      created_by: user.username,
      modified_by: user.username,
    });
    return flowReply(record);
  },
});

export const listFlows = route({
  method: 'GET',
  path: '/api/v1/flows',
  summary: 'Flows that you own or may read, newest first.',
  tags: ['Flows'],
  auth: 'user',
  query: Type.Object({
    ...paging,
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'Part of the name, in any letter case.' }),
    ),
    tags: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        maxItems: 36,
        description: 'Repeatable; one of them must match.',
      }),
    ),
  }),
  replies: { 200: FlowPage },
  errors: [],
  handler: async ({ query, user, services, url }) => {
    const { limit = 100, offset = 0, name, tags } = query;
    const { items, total } = await services.flows.list(user, { limit, offset, name, tags });
    return {
      flows: items.map(flowReply),
      total_count: total,
      offset,
      limit,
      ...pageLinks(url, { limit, offset, total }),
    };
  },
});

export const getFlow = route({
  method: 'GET',
  path: '/api/v1/flows/{flow_id}',
  summary: 'One flow.',
  tags: ['Flows'],
  auth: 'user',
  params: Type.Object({ flow_id: FlowId }),
  replies: { 200: FlowReply },
  errors: ['FLOW_NOT_FOUND'],
  handler: async ({ params, user, services }) => {
    const record = await services.flows.get(user, params.flow_id);
    if (!record) throw flowNotFound(params.flow_id);
    return flowReply(record);
  },
});

/** The same for a missing flow and for one that the user may not read. */
export function flowNotFound(flowId: string): AppError {
  return new AppError('FLOW_NOT_FOUND', `Flow with ID '${flowId}' not found.`, {
    target: { type: 'parameter', name: 'flow_id' },
  });
}

function definitionOf(body: FlowCreate): FlowDefinition {
  return {
    flow_name: body.flow_name,
    description: body.description ?? null,
    global_config: body.global_config ?? {},
    flow: body.flow,
    edges: body.edges ?? [],
    tags: [...new Set(body.tags)],
    project_id: body.project_id ?? body.container_id ?? null,
  };
}

function refuseMalformed(flow: FlowDefinition, operators: Parameters<typeof validateFlow>[1]): void {
  const { errors } = validateFlow(flow, operators);
  const found = errors.filter(({ message_code }) => structural.includes(message_code));
  if (found.length === 0) return;
  throw new AppError(
    'FLOW_INVALID_DATA',
    `The flow '${flow.flow_name}' is malformed: ${found.map(({ message }) => message).join(' ')}`,
    {
      problems: found.map(({ message_code, message, pointer }) => ({
        message: `${message_code}: ${message}`,
        target: { type: 'field' as const, name: pointer ?? 'flow' },
      })),
    },
  );
}

function flowReply(record: FlowRecord): FlowReply {
  return maskSecrets(record);
}
