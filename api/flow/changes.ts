import { isDeepStrictEqual } from 'node:util';
import { Type } from '@sinclair/typebox';
import { ElyraFlowCreate, ElyraFlowPatch } from '../../model/elyra/wire';
import { AppError } from '../../model/errors';
import { FlowId, FlowPatch, FlowReplace } from '../../model/flow/wire-flows';
import { listChangeable } from '../../model/read-only';
import type { FlowRecord } from '../../services/flow/ports';
import { changeResource, createEtagHeader } from '../http/conditional';
import { type RequestContext, flowPolicy, may, read, requireMay } from '../http/policies';
import { reply, route } from '../http/route';
import {
  readAuthoringContent,
  readElyraContent,
  type FlowContent,
  patchContent,
  patchElyraContent,
  refuseMalformed,
} from './content';
import { anyFlow, checkProject, isElyraBody } from './flows';
import { toFlowReply } from './reply';

const params = Type.Object({ flow_id: FlowId });
const errors = [
  'FLOW_NOT_FOUND',
  'FLOW_INVALID_DATA',
  'FLOW_ALREADY_EXISTS',
  'FLOW_STORAGE_ERROR',
  'PROJECT_NOT_FOUND',
  'FORBIDDEN',
  'CONFLICT',
] as const;

export const replaceFlow = route({
  method: 'PUT',
  path: '/api/v1/flows/{flow_id}',
  summary: 'Replaces a flow. Its id, owner and creation time are kept, as is its project if none is sent.',
  description: 'A secret that is sent back masked stays as stored.',
  isConditional: true,
  params,
  query: Type.Object({ is_elyra: isElyraBody }),
  body: Type.Union([FlowReplace, ElyraFlowCreate]),
  bodyFor: (query) => (query.is_elyra ? ElyraFlowCreate : FlowReplace),
  invalidBodyCode: 'FLOW_INVALID_DATA',
  replies: { 200: anyFlow },
  errors,
  handler: async ({ body, params, query, header, ...context }) => {
    const buildContent = (stored: FlowRecord) =>
      query.is_elyra
        ? readElyraContent(body as ElyraFlowCreate, stored)
        : readAuthoringContent(body as FlowReplace, stored);
    // Omitting `readers` clears the list only for users who may share the flow.
    const readChangedSharing = async (stored: FlowRecord) =>
      (await may(flowPolicy, 'share', stored, context))
        ? { readers: body.readers ?? [], owner: findOwner(body) }
        : readSharing(body);
    const record = await changeFlow(params.flow_id, context, header('If-Match'), {
      buildContent,
      readChangedSharing,
    });
    return reply(200, toFlowReply(record), createEtagHeader(record));
  },
});

export const patchFlow = route({
  method: 'PATCH',
  path: '/api/v1/flows/{flow_id}',
  summary: 'Changes the given members of a flow; null clears a member.',
  description: 'global_config is merged (JSON merge patch); lists are replaced. A masked secret stays as stored.',
  isConditional: true,
  params,
  query: Type.Object({ is_elyra: isElyraBody }),
  body: Type.Union([FlowPatch, ElyraFlowPatch]),
  bodyFor: (query) => (query.is_elyra ? ElyraFlowPatch : FlowPatch),
  invalidBodyCode: 'FLOW_INVALID_DATA',
  replies: { 200: anyFlow },
  errors,
  handler: async ({ body, params, query, header, ...context }) => {
    refuseEmpty(body, query.is_elyra ? ElyraFlowPatch : FlowPatch);
    const buildContent = (stored: FlowRecord) =>
      query.is_elyra ? patchElyraContent(body as ElyraFlowPatch, stored) : patchContent(body, stored);
    const record = await changeFlow(params.flow_id, context, header('If-Match'), {
      buildContent,
      readChangedSharing: () => readSharing(body),
    });
    return reply(200, toFlowReply(record), createEtagHeader(record));
  },
});

/** Readers and owner of the flow, where the body has them. */
interface Sharing {
  readers?: readonly string[];
  owner?: string;
}

/** How a change turns the stored record into the new one. */
interface FlowChange {
  buildContent: (stored: FlowRecord) => FlowContent;
  readChangedSharing: (stored: FlowRecord) => Sharing | Promise<Sharing>;
  /** The version whose content becomes the newest version. */
  restoredFrom?: number;
}

/** Checks rights, content, project and sharing of the change, and stores it. */
export async function changeFlow(
  flowId: string,
  context: RequestContext,
  ifMatch: string | undefined,
  { buildContent, readChangedSharing, restoredFrom }: FlowChange,
): Promise<FlowRecord> {
  const { services, user } = context;
  return changeResource({
    ifMatch,
    read: () => read(flowPolicy, flowId, context),
    write: (changed) => services.flows.replace(changed, { restoredFrom }),
    change: async (stored) => {
      await requireMay(flowPolicy, 'change', stored, context);
      const content = buildContent(stored);
      refuseMalformed(content, services.operators);
      const placed = await checkProject(content, stored.project_id ?? null, context);
      return {
        ...stored,
        ...placed,
        ...(await readSharedMembers(stored, await readChangedSharing(stored), context)),
        editor: isSameWork(stored, placed) ? stored.editor : { username: user.username, groups: user.groups },
        modified_on: services.clock().toISOString(),
        modified_by: user.username,
      };
    },
  });
}

/** True if runs are unaffected by the change. The previous editor then stays responsible for the flow. */
function isSameWork(stored: FlowRecord, changed: Partial<FlowRecord>): boolean {
  const pickWork = ({ flow, edges = [], global_config = {} }: Partial<FlowRecord>) => ({ flow, edges, global_config });
  return isDeepStrictEqual(pickWork(stored), pickWork({ ...stored, ...changed }));
}

async function readSharedMembers(
  stored: FlowRecord,
  sharing: Sharing,
  context: RequestContext,
): Promise<Pick<FlowRecord, 'owner' | 'readers'>> {
  const { owner = stored.owner } = sharing;
  const readers = [...new Set(sharing.readers ?? stored.readers)];
  const isChanged = owner !== stored.owner || readers.join('\n') !== stored.readers.join('\n');
  if (isChanged) await requireMay(flowPolicy, 'share', stored, context);
  return { owner, readers };
}

function readSharing(body: { readers?: readonly string[] | null }): Sharing {
  return { readers: body.readers === undefined ? undefined : (body.readers ?? []), owner: findOwner(body) };
}

function findOwner(body: object): string | undefined {
  return 'owner' in body && typeof body.owner === 'string' ? body.owner : undefined;
}

function refuseEmpty(body: object, schema: typeof FlowPatch | typeof ElyraFlowPatch): void {
  const changeable = listChangeable(schema);
  if (Object.keys(body).some((name) => changeable.includes(name))) return;
  throw new AppError(
    'FLOW_INVALID_DATA',
    `The body changes nothing; it must contain at least one of ${changeable.join(', ')}.`,
  );
}
