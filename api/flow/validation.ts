import { type Static, Type } from '@sinclair/typebox';
import { isAdmin } from '../../model/access';
import { toElyra } from '../../model/elyra/elyra';
import { ElyraFlowCreate } from '../../model/elyra/wire';
import { spellCode } from '../../model/errors';
import type { FlowDefinition } from '../../model/flow/flow';
import { type FlowAlert, validateFlow } from '../../model/flow/validation';
import { FlowCreate, type FlowAlertReply, ValidationReply } from '../../model/flow/wire-flows';
import type { CheckReader } from '../../operators/inspection';
import { route } from '../http/route';
import type { ApiServices } from '../services';
import { readDrawing } from './content';
import { isElyraBody } from './flows';

/** Like FlowCreate, but an invalid `global_config` is a validation finding rather than an error reply. */
const FlowDraft = Type.Composite(
  [
    Type.Omit(FlowCreate, ['global_config']),
    Type.Object({ global_config: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { maxProperties: 2_000 })) }),
  ],
  { $id: 'FlowDraft', additionalProperties: false },
);
type FlowDraft = Static<typeof FlowDraft>;

export const validateFlowRoute = route({
  method: 'POST',
  path: '/api/v1/validation/validate_flow',
  operationId: 'validateFlow',
  scope: 'read',
  audit: 'none',
  summary: 'Checks whether a flow would run, and lists every reason why not.',
  description:
    'Nothing is stored, and no server is contacted unless `deep` is true: then the source is listed, the model embeds one word, and the index is looked up, within 15 s. A flow with errors never starts.',
  query: Type.Object({
    is_elyra: isElyraBody,
    deep: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Also check the servers that the flow names, as seen from the api.',
      }),
    ),
  }),
  body: Type.Union([FlowDraft, ElyraFlowCreate]),
  bodyFor: (query) => (query.is_elyra ? ElyraFlowCreate : FlowDraft),
  invalidBodyCode: 'FLOW_INVALID_DATA',
  replies: { 200: ValidationReply },
  errors: ['FLOW_INVALID_DATA'],
  handler: async ({ body, query, services, options, signal, user }) => {
    const reader = { ...user, seesHidden: isAdmin(user, options.adminGroups) };
    const check = (flow: FlowDefinition) => validateContent(flow, services, signal, query.deep ? reader : undefined);
    const { errors, warnings } = query.is_elyra
      ? await validateDrawing(body as ElyraFlowCreate, check)
      : await check(body as FlowDraft);
    const code = spellCode('FLOW_VALIDATION_FAILED', options.codeCase);
    return {
      ...buildVerdict(errors.length, warnings.length),
      errors: errors.map(toAlertReply(code)),
      warnings: warnings.map(toAlertReply(code)),
    };
  },
});

interface Findings {
  errors: Finding[];
  warnings: Finding[];
}
/** `node_id` is set if the node's id is not its name. Findings about the drawing itself have no message code. */
type Finding = Omit<FlowAlert, 'message_code'> & { message_code: string | null; node_id?: string };

async function validateContent(
  flow: FlowDefinition,
  services: ApiServices,
  signal: AbortSignal,
  deepReader: CheckReader | undefined,
): Promise<Findings> {
  const { errors, warnings } = validateFlow(flow, services.operators);
  const invalidNodes = new Set(errors.flatMap(({ node_name }) => node_name ?? []));
  errors.push(...(await services.queryCheck.findProblems(flow, invalidNodes, signal)));
  if (!deepReader) return { errors, warnings };
  for (const { node_name } of errors) if (node_name !== undefined) invalidNodes.add(node_name);
  const inspection = await services.inspection.inspect(flow, invalidNodes, signal, deepReader);
  return { errors: [...errors, ...inspection.errors], warnings: [...warnings, ...inspection.warnings] };
}

/** Validates a drawing. Findings contain ids of its nodes and pointers into the body. */
async function validateDrawing(
  { name, definition }: ElyraFlowCreate,
  check: (flow: FlowDefinition) => Promise<Findings>,
): Promise<Findings> {
  const { nodes, problems, ...content } = readDrawing(definition ?? toElyra({ flow_name: name, flow: [] }));
  if (problems.length > 0) {
    const errors = problems.map(({ message, pointer }) => ({
      message,
      message_code: null,
      pointer: `/definition${pointer}`,
    }));
    return { errors, warnings: [] };
  }
  const { errors, warnings } = await check({ flow_name: name, ...content });
  const toDrawnFinding = (finding: Finding): Finding => {
    const [, index, rest = ''] = /^\/flow\/(\d+)(.*)$/.exec(finding.pointer ?? '') ?? [];
    const named = index ?? content.flow.findIndex((operator) => operator.name === finding.node_name);
    const node = nodes[Number(named)];
    if (!node) return nodes.length > 0 ? { ...finding, pointer: '/definition' } : finding;
    const place = rest.startsWith('/config') ? rest.replace('/config', '/parameters') : '';
    return { ...finding, node_id: node.id, pointer: `/definition${node.pointer}${place}` };
  };
  return { errors: errors.map(toDrawnFinding), warnings: warnings.map(toDrawnFinding) };
}

function buildVerdict(errors: number, warnings: number): Pick<ValidationReply, 'status' | 'message'> {
  if (errors > 0) return { status: 'FAILED', message: 'Flow validation failed.' };
  if (warnings > 0) return { status: 'SUCCEEDED_WITH_WARNINGS', message: 'Flow validation succeeded with warnings.' };
  return { status: 'SUCCEEDED', message: null };
}

function toAlertReply(code: string): (alert: Finding) => FlowAlertReply {
  return ({ message, message_code, node_id, node_name, operator, ...extras }) => ({
    code,
    message,
    message_code,
    node_id: node_id ?? node_name ?? null,
    node_name: node_name ?? null,
    operator: operator ?? null,
    ...extras,
  });
}
