import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { findDifferences } from '../../model/flow/version/versions';
import { FlowVersionDifference, FlowVersionPage, FlowVersionReply } from '../../model/flow/version/wire';
import { FlowId } from '../../model/flow/wire-flows';
import type { FlowRecord, FlowVersion } from '../../services/flow/ports';
import { createEtagHeader } from '../http/conditional';
import { buildPageLinks, paging } from '../http/page';
import { type RequestContext, authorize, flowPolicy, read } from '../http/policies';
import { reply, route } from '../http/route';
import { changeFlow } from './changes';
import { readAuthoringContent, readElyraContent, type FlowContent } from './content';
import { anyFlow } from './flows';
import { toFlowReply } from './reply';

const defineVersion = (description: string) => Type.Integer({ minimum: 1, maximum: 1_000_000_000, description });
const params = Type.Object({ flow_id: FlowId, version: defineVersion('Number of the version.') });
/** The limit of one reply. */
const maxDifferences = 500;

export const listFlowVersions = route({
  method: 'GET',
  path: '/api/v1/flows/{flow_id}/versions',
  summary: 'The versions of a flow, newest first, each with author, time and what changed.',
  description:
    'A change of name, description, settings, operators, edges or tags makes a version; a change of only project, owner, readers or secrets does not. The last 100 earlier versions are kept, at most 20 MB.',
  params: Type.Object({ flow_id: FlowId }),
  query: Type.Object(paging),
  replies: { 200: FlowVersionPage },
  errors: ['FLOW_NOT_FOUND'],
  handler: async ({ params: { flow_id }, query: { limit = 100, offset = 0 }, url, ...context }) => {
    await read(flowPolicy, flow_id, context);
    const { items: versions, total } = await context.services.flows.listVersions(flow_id, { limit, offset });
    return { flow_id, versions, total_count: total, offset, limit, ...buildPageLinks(url, { limit, offset, total }) };
  },
});

export const getFlowVersion = route({
  method: 'GET',
  path: '/api/v1/flows/{flow_id}/versions/{version}',
  summary: 'A version of a flow with its content. Secrets are masked; earlier versions contain none.',
  params,
  replies: { 200: FlowVersionReply },
  errors: ['FLOW_NOT_FOUND', 'FLOW_VERSION_NOT_FOUND'],
  handler: async ({ params: { flow_id, version }, ...context }) => {
    await read(flowPolicy, flow_id, context);
    return { flow_id, ...(await readVersion(flow_id, version, context)) };
  },
});

export const compareFlowVersions = route({
  method: 'GET',
  path: '/api/v1/flows/{flow_id}/versions/{version}/difference',
  operationId: 'compareFlowVersions',
  summary: 'The differences between two versions of a flow.',
  params,
  query: Type.Object({
    base_version: Type.Optional(defineVersion('The version to compare with; default: the one before.')),
  }),
  replies: { 200: FlowVersionDifference },
  errors: ['FLOW_NOT_FOUND', 'FLOW_VERSION_NOT_FOUND'],
  handler: async ({ params: { flow_id, version }, query, ...context }) => {
    await read(flowPolicy, flow_id, context);
    const base_version = query.base_version ?? Math.max(1, version - 1);
    const after = await readVersion(flow_id, version, context);
    const before = await readVersion(flow_id, base_version, context);
    const differences = findDifferences(before.content, after.content);
    return {
      flow_id,
      version,
      base_version,
      differences: differences.slice(0, maxDifferences),
      total_differences: differences.length,
    };
  },
});

export const restoreFlowVersion = route({
  method: 'POST',
  path: '/api/v1/flows/{flow_id}/versions/{version}/restore',
  operationId: 'restoreFlowVersion',
  summary: 'Restores the content of an earlier version as the newest version of the flow.',
  description:
    'Project, owner and readers stay. Secrets stay as they are stored now; a version with a secret that is no longer stored, or that would go to another place, is refused with FLOW_INVALID_DATA.',
  isConditional: true,
  params,
  replies: { 200: anyFlow },
  errors: [
    'FLOW_NOT_FOUND',
    'FLOW_VERSION_NOT_FOUND',
    'FLOW_INVALID_DATA',
    'FLOW_ALREADY_EXISTS',
    'FLOW_STORAGE_ERROR',
    'FORBIDDEN',
    'CONFLICT',
  ],
  handler: async ({ params: { flow_id, version }, header, ...context }) => {
    await authorize(flowPolicy, 'change', flow_id, context);
    const earlier = await readVersion(flow_id, version, context);
    const record = await changeFlow(flow_id, context, header('If-Match'), {
      buildContent: (stored) => restoreContent(earlier, stored),
      readChangedSharing: () => ({}),
      restoredFrom: version,
    });
    return reply(200, toFlowReply(record), createEtagHeader(record));
  },
});

async function readVersion(flowId: string, version: number, { services }: RequestContext): Promise<FlowVersion> {
  const flowVersion = await services.flows.getVersion(flowId, version);
  if (flowVersion) return flowVersion;
  throw new AppError('FLOW_VERSION_NOT_FOUND', `Flow '${flowId}' has no version ${version}, or no longer keeps it.`, {
    target: { type: 'parameter', name: 'version' },
  });
}

/** The content as a PUT of the version would make it. */
function restoreContent({ content }: FlowVersion, stored: FlowRecord): FlowContent {
  const { definition, flow_version, ...authoring } = content;
  if (!definition) return readAuthoringContent(authoring, stored);
  return readElyraContent(
    {
      name: content.flow_name,
      description: content.description,
      definition,
      tags: content.tags,
      flow_version,
      is_hidden: stored.elyra?.is_hidden,
      job_id: stored.elyra?.job_id,
    },
    stored,
  );
}
