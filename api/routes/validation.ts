import { Type } from '@sinclair/typebox';
import { spellCode } from '../../model/errors';
import { type FlowAlert, validateFlow } from '../../model/flow-validation';
import { FlowCreate, type FlowAlertReply, ValidationReply } from '../../model/wire/flows';
import { route } from '../route';

/** As FlowCreate, but a wrong `global_config` is a finding of the validation and no refusal of the request. */
const FlowDraft = Type.Composite(
  [
    Type.Omit(FlowCreate, ['global_config']),
    Type.Object({ global_config: Type.Optional(Type.Record(Type.String(), Type.Unknown())) }),
  ],
  { $id: 'FlowDraft', additionalProperties: true },
);

export const validateFlowRoute = route({
  method: 'POST',
  path: '/api/v1/validation/validate_flow',
  summary: 'Says whether a flow would run, and every reason why not.',
  description:
    'Nothing is stored, and no server is asked unless `deep` is true: then the source is looked at, the model embeds one word, and the index is described, within 15 s. A flow with errors never starts.',
  tags: ['Validation'],
  auth: 'user',
  query: Type.Object({
    deep: Type.Optional(
      Type.Boolean({ default: false, description: 'Ask the servers that the flow names, as the api sees them.' }),
    ),
  }),
  body: FlowDraft,
  invalidBodyCode: 'FLOW_INVALID_DATA',
  replies: { 200: ValidationReply },
  errors: ['FLOW_INVALID_DATA'],
  handler: async ({ body, query, services, options, signal }) => {
    const { errors, warnings } = validateFlow(body, services.operators);
    if (query.deep) {
      const wrong = new Set(errors.flatMap(({ node_name }) => node_name ?? []));
      const found = await services.inspection.inspect(body, wrong, signal);
      errors.push(...found.errors);
      warnings.push(...found.warnings);
    }
    const code = spellCode('FLOW_VALIDATION_FAILED', options.codeCase);
    return {
      ...verdict(errors.length, warnings.length),
      errors: errors.map(alertReply(code)),
      warnings: warnings.map(alertReply(code)),
    };
  },
});

function verdict(errors: number, warnings: number): Pick<ValidationReply, 'status' | 'message'> {
  if (errors > 0) return { status: 'FAILED', message: 'Flow validation failed.' };
  if (warnings > 0) return { status: 'SUCCEEDED_WITH_WARNINGS', message: 'Flow validation succeeded with warnings.' };
  return { status: 'SUCCEEDED', message: null };
}

function alertReply(code: string): (alert: FlowAlert) => FlowAlertReply {
  return ({ message, message_code, node_name, operator, ...extras }) => ({
    code,
    message,
    message_code,
    node_id: node_name ?? null,
    node_name: node_name ?? null,
    operator: operator ?? null,
    ...extras,
  });
}
