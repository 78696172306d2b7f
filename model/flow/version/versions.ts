import { isObject } from '../../json';
import { escapePointer } from '../alert';
import type { FlowDefinition } from '../flow';
import { maskSecrets } from '../secrets';

/**
 * The content of a version of a flow: everything that its body determines except project, owner and readers. Secrets are
 * masked.
 */
export interface FlowVersionContent {
  flow_name: string;
  description: string | null;
  global_config: Record<string, unknown>;
  flow: FlowDefinition['flow'];
  edges: { source: string; target: string }[];
  tags: string[];
  flow_version: string;
  /** The drawing of a flow in the format of the graphical editor. */
  definition?: Record<string, unknown>;
}

/** One difference between two versions. */
export interface FlowDifference {
  /** A JSON pointer that contains operators by name: `/flow/chunk/config/chunk_size`. */
  path: string;
  kind: 'added' | 'removed' | 'changed';
  before?: unknown;
  after?: unknown;
}

/** Differences omit values whose JSON is longer. */
const maxValueCharacters = 10_000;

/** The content of a flow as a version keeps it. Two flows that differ only in secrets have the same content. */
export function getVersionContent(
  flow: FlowDefinition & { flow_version: string; elyra?: { definition: Record<string, unknown> } },
): FlowVersionContent {
  const { flow_name, description, global_config, flow: operators, edges, tags, flow_version, elyra } = flow;
  return maskSecrets({
    flow_name,
    description: description ?? null,
    global_config: global_config ?? {},
    flow: operators,
    edges: edges ?? [],
    tags: tags ?? [],
    flow_version,
    ...(elyra ? { definition: elyra.definition } : {}),
  });
}

/** The differences by member. Operators are compared by name, lists as a whole. Empty if there are none. */
export function findDifferences(before: FlowVersionContent, after: FlowVersionContent): FlowDifference[] {
  const { flow: operatorsBefore, definition: drawnBefore, ...restBefore } = before;
  const { flow: operatorsAfter, definition: drawnAfter, ...restAfter } = after;
  return [
    ...compare('', restBefore, restAfter),
    ...compareOperators(operatorsBefore, operatorsAfter),
    // The values of a drawing are coordinates and colours of the operators, which are compared above.
    ...compare('/definition', drawnBefore, drawnAfter)
      .slice(0, 1)
      .map(({ kind }) => ({ path: '/definition', kind: drawnBefore && drawnAfter ? ('changed' as const) : kind })),
  ];
}

function compareOperators(before: FlowDefinition['flow'], after: FlowDefinition['flow']): FlowDifference[] {
  const groupByName = (operators: FlowDefinition['flow']) =>
    Object.fromEntries(operators.map(({ name, ...operator }) => [name, { config: {}, depends_on: [], ...operator }]));
  const differences = compare('/flow', groupByName(before), groupByName(after));
  const [namesBefore, namesAfter] = [before, after].map((operators) => operators.map(({ name }) => name));
  const isReordered = JSON.stringify(namesBefore) !== JSON.stringify(namesAfter) && before.length === after.length;
  return isReordered && differences.every(({ path }) => path.split('/').length > 3)
    ? [...differences, { path: '/flow', kind: 'changed', before: namesBefore, after: namesAfter }]
    : differences;
}

function compare(path: string, before: unknown, after: unknown): FlowDifference[] {
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => compare(`${path}/${escapePointer(name)}`, before[name], after[name]));
  }
  if (canonicalize(before) === canonicalize(after)) return [];
  return [
    {
      path,
      kind: getKind(before, after),
      ...getValue('before', before),
      ...getValue('after', after),
    },
  ];
}

function getKind(before: unknown, after: unknown): FlowDifference['kind'] {
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : 'changed';
}

function getValue(name: 'before' | 'after', value: unknown): Partial<FlowDifference> {
  return value === undefined || JSON.stringify(value).length > maxValueCharacters ? {} : { [name]: value };
}

/** JSON with sorted members, since their order means nothing. */
function canonicalize(value: unknown): string {
  return (
    JSON.stringify(value, (_name, member: unknown) =>
      isObject(member) ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))) : member,
    ) ?? ''
  );
}
