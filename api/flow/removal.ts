import { Type } from '@sinclair/typebox';
import { AppError, spellCode } from '../../model/errors';
import { FlowId, FlowsDeleted } from '../../model/flow/wire-flows';
import { RemovalReply } from '../../model/removal/wire';
import { replyWithReceipt } from '../document/removals';
import { checkIfMatch } from '../http/conditional';
import { type RequestContext, authorize, flowPolicy, read, requireMay } from '../http/policies';
import { reply, route } from '../http/route';
import { prepareRemoval } from './access';

const force = Type.Optional(
  Type.Boolean({ default: false, description: 'Cancel active runs first and wait until they have ended.' }),
);
/** After this time, a worker completes the removal. */
const patienceMs = 10_000;

export const deleteFlow = route({
  method: 'DELETE',
  path: '/api/v1/flows/{flow_id}',
  summary: 'Removes a flow. Its run records and documents are kept, unless with_records removes them too.',
  description:
    'With `with_records`, for the owner of the flow and administrators: the records and tables of its runs, and everything that they made of its documents. The reply is the receipt, 202 while a worker continues. What readers of the flow made with their own runs stays.',
  isConditional: true,
  params: Type.Object({ flow_id: FlowId }),
  query: Type.Object({
    force,
    with_records: Type.Optional(
      Type.Boolean({ default: false, description: 'Remove its runs and everything made of its documents.' }),
    ),
  }),
  replies: { 204: Type.Void(), 200: RemovalReply, 202: RemovalReply },
  errors: [
    'FLOW_NOT_FOUND',
    'FLOW_IN_USE',
    'FLOW_STORAGE_ERROR',
    'FORBIDDEN',
    'JOB_RUN_INVALID_STATE',
    'WORKFLOW_ENGINE_UNAVAILABLE',
  ],
  handler: async ({ params, query, user, services, options, signal, header, baseUrl }) => {
    const context = { user, services, options, signal };
    const { flow_id: flowId } = params;
    if (query.with_records) await authorize(flowPolicy, 'share', flowId, context);
    const removeFlow = () => remove(flowId, query.force ?? false, header('If-Match'), context);
    if (query.with_records) {
      const by = { user: user.username, withinMs: patienceMs };
      return replyWithReceipt(await services.removals.removeJob(flowId, by, removeFlow), baseUrl);
    }
    await removeFlow();
    return reply(204, undefined);
  },
});

export const deleteFlows = route({
  method: 'DELETE',
  path: '/api/v1/flows',
  summary: 'Removes several flows independently, and returns each outcome.',
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
  context: RequestContext & { signal: AbortSignal },
): Promise<void> {
  const stored = await read(flowPolicy, flowId, context);
  checkIfMatch(ifMatch, stored);
  await requireMay(flowPolicy, 'change', stored, context);
  await prepareRemoval({ flowId }, forced, context);
  if (await context.services.flows.remove(flowId, ifMatch === undefined ? undefined : stored.revision)) return;
  // Somebody changed it, or removed it, since it was read.
  checkIfMatch(ifMatch, await read(flowPolicy, flowId, context));
  throw flowPolicy.notFound(flowId);
}
