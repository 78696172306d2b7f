import type { FlowDefinition, FlowOperator } from './flow';
import { at, type FlowAlert, type Known } from './alert';
import { effectiveConfig } from './config';
import { type FlowGraph, producers, topologicalOrder } from './graph';

/** Stands among the columns that an operator finds where one before it may have added any. */
export const anyColumn = '*';

/** Columns that each operator finds in its input: those of its inputs, and what they write, also under names of the flow. */
export function availableColumns(flow: FlowDefinition, graph: FlowGraph, known: Known): Map<string, Set<string>> {
  const before = new Map<string, Set<string>>();
  const after = new Map<string, Set<string>>();
  for (const name of topologicalOrder(graph).order) {
    const input = new Set(producers(graph, name).flatMap((producer) => [...(after.get(producer) ?? [])]));
    before.set(name, input);
    const operator = graph.operators.get(name);
    const definition = known.get(operator?.type ?? '');
    const config = operator && definition ? effectiveConfig(flow, operator) : {};
    const named = (definition?.named?.writes ?? []).flatMap((member) => valueAt(config, member) ?? []);
    const any = definition?.addsAny?.(config) === true ? [anyColumn] : [];
    // What it reads counts as there: a column that is missing is reported once, not by everything behind.
    after.set(name, new Set([...input, ...(definition?.reads ?? []), ...(definition?.writes ?? []), ...named, ...any]));
  }
  return before;
}

/** Columns that a configuration names, to be read, and that no operator before gives. */
export function missingNamedColumns(
  flow: FlowDefinition,
  operator: FlowOperator,
  index: number,
  known: Known,
  available: ReadonlySet<string>,
): FlowAlert[] {
  if (available.size === 0 || available.has(anyColumn)) return [];
  const config = effectiveConfig(flow, operator);
  return (known.get(operator.type)?.named?.reads ?? []).flatMap((member) => {
    const column = valueAt(config, member);
    if (column === undefined || available.has(column)) return [];
    const message = `${member.replaceAll('/', '.')} of '${operator.name}' names the column '${column}', which no operator before gives; there are: ${[...available].join(', ')}.`;
    const place = at(operator, index, `/config/${member}`);
    return [{ message_code: 'MISSING_FEATURES', message, ...place, missing_features: [column] }];
  });
}

/** The text at the end of a way such as `text_extraction/doc_column`. */
function valueAt(config: unknown, way: string): string | undefined {
  const value = way
    .split('/')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | null | undefined)?.[name], config);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
