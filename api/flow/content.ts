import { Type } from '@sinclair/typebox';
import { type ElyraFlow, toElyra, readElyra } from '../../model/elyra/elyra';
import type { ElyraFlowCreate, ElyraFlowPatch } from '../../model/elyra/wire';
import { AppError } from '../../model/errors';
import { FlowEdge, FlowOperator, type FlowDefinition, GlobalConfig } from '../../model/flow/flow';
import type { OperatorDefinition } from '../../model/flow/operator';
import { describeRedirected, findRedirected } from '../../model/flow/redirected-secrets';
import { restoreSecrets } from '../../model/flow/restore-secrets';
import { validateFlow } from '../../model/flow/validation';
import type { FlowCreate, FlowPatch } from '../../model/flow/wire-flows';
import { isObject } from '../../model/json';
import { listProblems } from '../../model/validate';
import type { FlowRecord } from '../../services/flow/ports';
import { getGraphicalPart } from './reply';

/** The parts of a flow that its body determines; the server keeps the rest (owner, times, revision). */
export type FlowContent = FlowDefinition & Pick<FlowRecord, 'elyra' | 'flow_version'>;

/** Findings that make a flow malformed, so that it cannot be stored. Validation reports all others. */
const malformedCodes = [
  'TOO_MANY_CONNECTIONS',
  'OPERATOR_NAME_REPEATED',
  'DEPENDENCY_NOT_FOUND',
  'CYCLIC_DEPENDENCY_DETECTED',
];
const authoringVersion = '2.0';
/** Like FlowDefinition, for a graphical definition, which may be empty while it is being drawn. */
const Drawn = Type.Object({
  flow: Type.Array(FlowOperator, { maxItems: 10_000 }),
  edges: Type.Array(FlowEdge),
  global_config: GlobalConfig,
});

/** Reads a full body in the authoring format. Masked secrets are restored from `stored`, as is the project if none is named. */
export function readAuthoringContent(body: FlowCreate, stored?: FlowRecord): FlowContent {
  const { flow, global_config = {} } = unmask({ flow: body.flow, global_config: body.global_config }, stored);
  const named = 'project_id' in body ? body.project_id : body.container_id;
  const content = {
    flow_name: body.flow_name,
    description: body.description ?? null,
    global_config,
    flow,
    edges: body.edges ?? [],
    tags: removeDuplicates(body.tags),
    project_id: named === undefined ? (stored?.project_id ?? null) : named,
    flow_version: authoringVersion,
    elyra: undefined,
  };
  refuseRedirected(content, stored, body);
  return content;
}

/** Applies a patch in the authoring format to the stored content. A new definition removes the graphical format. */
export function patchContent(body: FlowPatch, stored: FlowRecord): FlowContent {
  const { flow, global_config } = unmask({ flow: body.flow, global_config: body.global_config }, stored);
  const merged = global_config === null ? {} : merge(stored.global_config ?? {}, global_config ?? {});
  const named = 'project_id' in body ? body.project_id : body.container_id;
  const project_id = named === undefined ? (stored.project_id ?? null) : named;
  const isRedefined = body.flow !== undefined || body.edges !== undefined || body.global_config !== undefined;
  const container =
    named === undefined ? {} : { container_id: named, container_kind: named === null ? null : ('project' as const) };
  refuseProblems(listProblems(GlobalConfig, structuredClone(merged)), '/global_config');
  const content = {
    flow_name: body.flow_name ?? stored.flow_name,
    description: body.description === undefined ? (stored.description ?? null) : body.description,
    global_config: merged,
    flow: flow ?? stored.flow,
    edges: body.edges === undefined ? (stored.edges ?? []) : (body.edges ?? []),
    tags: body.tags === undefined ? (stored.tags ?? []) : removeDuplicates(body.tags),
    project_id,
    flow_version: isRedefined ? authoringVersion : stored.flow_version,
    elyra: isRedefined || !stored.elyra ? undefined : { ...stored.elyra, ...container },
  };
  refuseRedirected(content, stored, body);
  return content;
}

/** Reads a full body in the graphical format; without a definition, draws an empty pipeline. The caller checks `project_id`. */
export function readElyraContent(body: ElyraFlowCreate, stored?: FlowRecord): FlowContent {
  const before = stored && getGraphicalPart(stored);
  const input = body.definition ?? toElyra({ flow_name: body.name, description: body.description, flow: [] });
  const { value: definition, lost } = restoreSecrets(input, before?.definition);
  refuseLost(lost, '/definition');
  const container_id = body.container_id === undefined ? (before?.container_id ?? null) : body.container_id;
  const containerKind = body.container_id === undefined ? before?.container_kind : undefined;
  const container_kind = body.container_kind ?? containerKind ?? (container_id === null ? null : 'project');
  const content = {
    ...readDrawnFlow(definition),
    flow_name: body.name,
    description: body.description ?? null,
    tags: removeDuplicates(body.tags),
    project_id: container_kind === 'project' ? container_id : null,
    flow_version: body.flow_version ?? authoringVersion,
    elyra: {
      definition,
      container_kind,
      container_id,
      is_hidden: body.is_hidden ?? false,
      job_id: body.job_id ?? null,
    },
  };
  if (body.definition !== before?.definition)
    refuseRedirected(content, stored, body.definition ? readDrawing(body.definition) : undefined);
  return content;
}

/** Applies a patch in the graphical format to the stored content. */
export function patchElyraContent(body: ElyraFlowPatch, stored: FlowRecord): FlowContent {
  const before = getGraphicalPart(stored);
  return readElyraContent(
    {
      name: body.name ?? stored.flow_name,
      description: body.description === undefined ? stored.description : body.description,
      definition: body.definition === undefined ? before.definition : body.definition,
      tags: body.tags === undefined ? stored.tags : body.tags,
      container_kind: body.container_kind,
      container_id: body.container_id,
      is_hidden: body.is_hidden ?? before.is_hidden,
      flow_version: body.flow_version ?? stored.flow_version,
      job_id: body.job_id === undefined ? before.job_id : body.job_id,
    },
    stored,
  );
}

/** Throws FLOW_INVALID_DATA for repeated names, unknown dependencies and cycles. Validation reports everything else. */
export function refuseMalformed(flow: FlowDefinition, operators: readonly OperatorDefinition[]): void {
  const { errors } = validateFlow(flow, operators);
  const matchingErrors = errors.filter(({ message_code }) => malformedCodes.includes(message_code));
  if (matchingErrors.length === 0) return;
  throw new AppError(
    'FLOW_INVALID_DATA',
    `The flow '${flow.flow_name}' is malformed: ${matchingErrors.map(({ message }) => message).join(' ')}`,
    {
      problems: matchingErrors.map(({ message_code, message, pointer }) => ({
        message: `${message_code}: ${message}`,
        target: { type: 'field' as const, name: pointer ?? 'flow' },
      })),
    },
  );
}

/** The operators and settings of a graphical definition. Throws FLOW_INVALID_DATA with all problems. */
function readDrawnFlow(definition: Record<string, unknown>): Pick<FlowDefinition, 'flow' | 'edges' | 'global_config'> {
  const { nodes: _nodes, problems, ...content } = readDrawing(definition);
  refuseProblems(problems, '/definition');
  return content;
}

/** Same as `readDrawnFlow`, but returns the problems instead of throwing; the content is valid only if there are none. Pointers start at the definition. */
export function readDrawing(definition: Record<string, unknown>): Pick<FlowDefinition, 'flow' | 'edges'> & {
  global_config: Record<string, unknown>;
  nodes: ElyraFlow['nodes'];
  problems: { pointer: string; message: string }[];
} {
  const { flow, problems } = readElyra(definition);
  const content = { flow: flow.flow, edges: flow.edges, global_config: flow.globalConfig };
  return { ...content, nodes: flow.nodes, problems: problems.length > 0 ? problems : listProblems(Drawn, content) };
}

function unmask<T extends { flow?: unknown; global_config?: unknown }>(input: T, stored: FlowRecord | undefined): T {
  const { value, lost } = restoreSecrets(input, stored && { flow: stored.flow, global_config: stored.global_config });
  refuseLost(lost, '');
  return value;
}

/** Throws FLOW_INVALID_DATA when a stored secret that the body does not contain would be sent to another destination. */
function refuseRedirected(next: FlowDefinition, stored: FlowDefinition | undefined, body: unknown): void {
  if (!stored) return;
  const problems = findRedirected(next, stored, body).map((secret) => ({
    pointer: `/flow/${next.flow.findIndex(({ name }) => name === secret.operator)}/config${secret.pointer}`,
    message: describeRedirected(secret),
  }));
  refuseProblems(problems, '');
}

function refuseLost(pointers: readonly string[], base: string): void {
  const message = 'is the mask of a secret, but no secret is stored there; send the secret, or a reference to it';
  refuseProblems(
    pointers.map((pointer) => ({ pointer, message })),
    base,
  );
}

function refuseProblems(problems: readonly { pointer: string; message: string }[], base: string): void {
  if (problems.length === 0) return;
  const details = problems.slice(0, 100).map(({ pointer, message }) => ({
    message: `${base}${pointer}: ${message}`,
    target: { type: 'field' as const, name: `${base}${pointer}` },
  }));
  throw new AppError('FLOW_INVALID_DATA', details.map(({ message }) => message).join(' '), { problems: details });
}

/** A JSON merge patch, RFC 7396. */
function merge(target: Record<string, unknown>, patch: Record<string, unknown>): Record<string, unknown> {
  const merged = new Map(Object.entries(target));
  for (const [name, value] of Object.entries(patch)) {
    const before = merged.get(name);
    if (value === null) merged.delete(name);
    else merged.set(name, isObject(value) ? merge(isObject(before) ? before : {}, value) : value);
  }
  return Object.fromEntries(merged);
}

function removeDuplicates(values: readonly string[] | null | undefined): string[] {
  return [...new Set(values)];
}
