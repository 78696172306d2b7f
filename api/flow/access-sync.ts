import { Type } from '@sinclair/typebox';
import { FlowId } from '../../model/flow/wire-flows';
import { AccessSyncReply } from '../../model/identity/wire-sync';
import { describeAccessSync } from '../../services/identity/access-syncs';
import { authorize, flowPolicy, type RequestContext } from '../http/policies';
import { route } from '../http/route';

const params = Type.Object({ flow_id: FlowId });

export const getAccessSync = route({
  method: 'GET',
  path: '/api/v1/flows/{flow_id}/access-sync',
  summary: 'The age of the access lists of the flow’s documents, and the changes of the last sync.',
  description:
    'For those who may change the flow. One entry for each of its jobs; none without `access_sync_minutes` in its `ingest_source`, or before the first run. Counts only: no document and no reader is named.',
  params,
  replies: { 200: AccessSyncReply },
  errors: ['FLOW_NOT_FOUND', 'FORBIDDEN'],
  handler: async ({ params: { flow_id }, ...context }) => {
    await authorize(flowPolicy, 'change', flow_id, context);
    return await loadReply(flow_id, context);
  },
});

export const startAccessSync = route({
  method: 'POST',
  path: '/api/v1/flows/{flow_id}/access-sync',
  scope: 'run',
  summary: 'Reads the access lists of the flow’s documents now, without a run.',
  description:
    'For those who may change the flow. A worker reads them; the reply is 202 with the state before. Skips jobs with an active run, which reads the lists itself.',
  params,
  replies: { 202: AccessSyncReply },
  errors: ['FLOW_NOT_FOUND', 'FORBIDDEN', 'WORKFLOW_ENGINE_UNAVAILABLE'],
  handler: async ({ params: { flow_id }, ...context }) => {
    await authorize(flowPolicy, 'change', flow_id, context);
    const before = await loadReply(flow_id, context);
    await context.services.rightsSync.startAccess(
      before.items.map(({ job_id }) => job_id),
      context.user.username,
    );
    return before;
  },
});

async function loadReply(flowId: string, { services }: RequestContext): Promise<AccessSyncReply> {
  const syncs = await services.accessSyncs.listByFlow(flowId);
  return { items: syncs.map((sync) => describeAccessSync(sync, services.clock())) };
}
