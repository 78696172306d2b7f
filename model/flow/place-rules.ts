import { locate, escapePointer, type FlowAlert, type OperatorsByName } from './alert';
import { buildEffectiveConfig } from './config';
import { type FlowDefinition, GlobalConfig } from './flow';
import { findDownstream, type FlowGraph, listProducers } from './graph';
import { mandatoryColumns } from './row';

/** The limit of operators named in one finding. */
const maxNamed = 20;

const isMandatory = (name: unknown) => mandatoryColumns.some((column) => column === name);

/**
 * Checks settings from flows of other systems that any operator may have: lists of columns to remove or rename. Mandatory columns
 * must stay.
 */
export function findDroppedColumns(flow: FlowDefinition, operators: OperatorsByName): FlowAlert[] {
  return flow.flow.flatMap((operator, index) => {
    const definition = operators.get(operator.type);
    if (!definition) return [];
    const config = buildEffectiveConfig(flow, operator);
    const members = ['output_features_to_drop', ...(definition.drops ?? [])];
    const drops = members.flatMap((member) =>
      toList(config[member]).flatMap((name, position) =>
        isMandatory(name)
          ? [
              {
                message_code: 'MANDATORY_FEATURES_DROPPED',
                message: `'${operator.name}' drops the column '${String(name)}'; every row must keep ${mandatoryColumns.join(', ')}.`,
                ...locate(operator, index, `/config/${member}/${position}`),
              },
            ]
          : [],
      ),
    );
    const renames = toList(config['updated_features']).flatMap((entry, position) => {
      const old = (entry as { old_feature?: unknown } | null)?.old_feature;
      if (!isMandatory(old)) return [];
      return [
        {
          message_code: 'RENAMING_MANDATORY_FEATURES',
          message: `'${operator.name}' renames the column '${String(old)}'; ${mandatoryColumns.join(', ')} keep their names.`,
          ...locate(operator, index, `/config/updated_features/${position}`),
        },
      ];
    });
    return [...drops, ...renames];
  });
}

/** Finds operators that join their inputs but have too few of them. */
export function findFewInputs(flow: FlowDefinition, graph: FlowGraph, operators: OperatorsByName): FlowAlert[] {
  return flow.flow.flatMap((operator, index) => {
    const rule = operators.get(operator.type)?.place?.minInputs;
    const inputs = graph.inputs.get(operator.name) ?? [];
    if (!rule || inputs.length >= rule.count) return [];
    return [
      {
        message_code: rule.messageCode,
        message: rule.message(operator.name, inputs),
        ...locate(operator, index, '/depends_on'),
      },
    ];
  });
}

/** Finds operators whose configuration needs one operator of another type, where the flow has none or several. */
export function findMissingPartners(flow: FlowDefinition, operators: OperatorsByName): FlowAlert[] {
  return flow.flow.flatMap((operator, index) => {
    const rule = operators.get(operator.type)?.place?.exactlyOne;
    if (!rule?.applies(buildEffectiveConfig(flow, operator))) return [];
    const found = flow.flow.filter(({ type }) => type === rule.type).map(({ name }) => name);
    if (found.length === 1) return [];
    const missing = found.length === 0 ? { missing_operators: [rule.type] } : {};
    const message = rule.message(operator.name, found.slice(0, maxNamed));
    return [{ message_code: rule.messageCode, message, ...locate(operator, index), ...missing }];
  });
}

/** Finds operators that repeat the work of an earlier operator of the same type. */
export function findRepeated(flow: FlowDefinition, graph: FlowGraph, operators: OperatorsByName): FlowAlert[] {
  const after = new Map<string, Set<string>>();
  return flow.flow.flatMap((operator, index) => {
    const rule = operators.get(operator.type)?.place?.once;
    if (!rule) return [];
    const { name, type } = operator;
    if (!after.has(type)) after.set(type, findDownstream(graph, type));
    if (!after.get(type)?.has(name)) return [];
    const before = findBefore(graph, name, type);
    return [
      {
        message_code: rule.messageCode,
        message: rule.message(operator.name, before),
        ...locate(operator, index),
        operators: before,
      },
    ];
  });
}

/** Operators of this type upstream of the named one, at most 20. */
function findBefore(graph: FlowGraph, operator: string, type: string): string[] {
  const found: string[] = [];
  const seen = new Set([operator]);
  const queue = [...listProducers(graph, operator)];
  for (let name = queue.pop(); name !== undefined && found.length < maxNamed; name = queue.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    if (graph.operators.get(name)?.type === type) found.push(name);
    queue.push(...listProducers(graph, name));
  }
  return found;
}

/** Finds operators that work better with a column that is missing although another operator could add it. */
export function findUnmetExpectations(
  flow: FlowDefinition,
  graph: FlowGraph,
  operators: OperatorsByName,
  columns: ReadonlyMap<string, ReadonlySet<string>>,
): FlowAlert[] {
  return flow.flow.flatMap((operator, index) => {
    const rule = operators.get(operator.type)?.place?.expects;
    const available = columns.get(operator.name);
    const isConnected = (graph.inputs.get(operator.name)?.length ?? 0) > 0;
    if (!rule || !operators.has(rule.from) || !isConnected || !available || available.has(rule.column)) return [];
    return [
      {
        message_code: rule.messageCode,
        message: rule.message(operator.name, []),
        ...locate(operator, index),
        missing_operators: [rule.from],
      },
    ];
  });
}

/** Finds members of `global_config` that neither the engine nor an operator of the flow reads. */
export function findUnknownGlobals(flow: FlowDefinition, operators: OperatorsByName): FlowAlert[] {
  const read = new Set([
    ...Object.keys(GlobalConfig.properties),
    ...operators.keys(),
    ...flow.flow.flatMap(({ name, type }) => [name, type]),
  ]);
  return Object.keys(flow.global_config ?? {})
    .filter((key) => !read.has(key))
    .map((key) => ({
      message_code: 'UNKNOWN_CONFIGURATION_KEY',
      message: `'${key}' is neither a setting of runs nor an operator of this flow, and is ignored; the settings are: ${Object.keys(GlobalConfig.properties).join(', ')}.`,
      pointer: `/global_config/${escapePointer(key)}`,
    }));
}

function toList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' ? [value] : [];
}
