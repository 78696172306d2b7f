import { Type } from '@sinclair/typebox';
import { AppError, spellCode } from '../../model/errors';
import { FlowId, FlowsDeleted } from '../../model/flow/wire-flows';
import { checkIfMatch } from '../http/conditional';
import { type Asking, flowPolicy, read, requireMay } from '../http/policies';
import { retire } from './access';
import { route } from '../http/route';

const force = Type.Optional(
  Type.Boolean({ default: false, description: 'Cancel active runs first and wait until they have ended.' }),
);
const tags = ['Flows'];

export const deleteFlow = route({
  method: 'DELETE',
  path: '/api/v1/flows/{flow_id}',
  summary: 'Removes a flow. Its run records and indexed documents are kept.',
  tags,
  auth: 'user',
  isConditional: true,
  params: Type.Object({ flow_id: FlowId }),
  query: Type.Object({ force }),
  replies: { 204: Type.Void() },
  errors: [
    'FLOW_NOT_FOUND',
    'FLOW_IN_USE',
    'FLOW_STORAGE_ERROR',
    'FORBIDDEN',
    'JOB_RUN_INVALID_STATE',
    'WORKFLOW_ENGINE_UNAVAILABLE',
  ],
  handler: ({ params, query, user, services, options, signal, header }) =>
    remove(params.flow_id, query.force ?? false, header('If-Match'), { user, services, options, signal }),
});

export const deleteFlows = route({
  method: 'DELETE',
  path: '/api/v1/flows',
  summary: 'Removes several flows independently, and returns the outcome for each.',
  tags,
  auth: 'user',
  query: Type.Object({
    flow_ids: Type.String({
      pattern: '^[a-zA-Z0-9_-]+(,[a-zA-Z0-9_-]+)*$',
      maxLength: 16_000,
      description: 'Ids of flows, separated by commas.',
    }),
    force,
  }),
  replies: { 200: FlowsDeleted },
  errors: ['FLOW_STORAGE_ERROR', 'WORKFLOW_ENGINE_UNAVAILABLE'],
  handler: async ({ query, user, services, options, signal }) => {
    const ids = [...new Set(query.flow_ids.split(','))];
    const deleted: string[] = [];
    const failed: FlowsDeleted['failed'] = [];
    for (const flow_id of ids) {
      try {
        await remove(flow_id, query.force ?? false, undefined, { user, services, options, signal });
        deleted.push(flow_id);
      } catch (error) {
        // A problem with one flow does not affect the others; an unavailable server ends the request.
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        failed.push({ flow_id, code: spellCode(error.code, options.codeCase), error: error.message });
      }
    }
    return {
      deleted,
      failed,
      total_requested: ids.length,
      total_deleted: deleted.length,
      total_failed: failed.length,
    };
  },
});

async function remove(
  flowId: string,
  forced: boolean,
  ifMatch: string | undefined,
  asking: Asking & { signal: AbortSignal },
): Promise<void> {
  const stored = await read(flowPolicy, flowId, asking);
  checkIfMatch(ifMatch, stored);
  await requireMay(flowPolicy, 'change', stored, asking);
  await retire({ flowId }, forced, asking);
  if (await asking.services.flows.remove(flowId, ifMatch === undefined ? undefined : stored.revision)) return;
  // Somebody changed it, or removed it, since it was read.
  checkIfMatch(ifMatch, await read(flowPolicy, flowId, asking));
  throw flowPolicy.notFound(flowId);
}
