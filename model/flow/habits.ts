import { type FlowDefinition, GlobalConfig } from './flow';
import { at, escaped, type FlowAlert, type Known } from './alert';
import { effectiveConfig } from './config';
import { ancestors, type FlowGraph } from './graph';
import { mandatoryColumns } from './row';

const isMandatory = (name: unknown) => mandatoryColumns.some((column) => column === name);

/** Settings that flows of other systems bring along for any operator: columns to remove or rename, mandatory ones among them. */
export function droppedColumns(flow: FlowDefinition, known: Known): FlowAlert[] {
  return flow.flow.flatMap((operator, index) => {
    if (!known.has(operator.type)) return [];
    const config = effectiveConfig(flow, operator);
    const members = ['output_features_to_drop', ...(operator.type === 'merge' ? ['features_to_drop'] : [])];
    const drops = members.flatMap((member) =>
      listOf(config[member]).flatMap((name, position) =>
        isMandatory(name)
          ? [
              {
                message_code: 'MANDATORY_FEATURES_DROPPED',
                message: `'${operator.name}' drops the column '${String(name)}'; every row must keep ${mandatoryColumns.join(', ')}.`,
                ...at(operator, index, `/config/${member}/${position}`),
              },
            ]
          : [],
      ),
    );
    const renames = listOf(config['updated_features']).flatMap((entry, position) => {
      const old = (entry as { old_feature?: unknown } | null)?.old_feature;
      if (!isMandatory(old)) return [];
      return [
        {
          message_code: 'RENAMING_MANDATORY_FEATURES',
          message: `'${operator.name}' renames the column '${String(old)}'; ${mandatoryColumns.join(', ')} keep their names.`,
          ...at(operator, index, `/config/updated_features/${position}`),
        },
      ];
    });
    return [...drops, ...renames];
  });
}

/** A merge of fewer than two inputs has nothing to merge. */
export function fewInputs(flow: FlowDefinition, graph: FlowGraph, known: Known): FlowAlert[] {
  return flow.flow.flatMap((operator, index) => {
    const count = graph.inputs.get(operator.name)?.length ?? 0;
    if (operator.type !== 'merge' || !known.has(operator.type) || count >= 2) return [];
    return [
      {
        message_code: 'MERGE_INPUT_LINKS_INSUFFICIENT',
        message: `'${operator.name}' merges the rows of at least two operators; it is connected to ${count}.`,
        ...at(operator, index, '/depends_on'),
      },
    ];
  });
}

/** A second extract operator on the same way reads the documents once more and replaces what the first gave. */
export function repeatedExtracts(flow: FlowDefinition, graph: FlowGraph): FlowAlert[] {
  return flow.flow.flatMap((operator, index) => {
    if (operator.type !== 'extract_operator') return [];
    const before = [...ancestors(graph, operator.name)].filter(
      (name) => name !== operator.name && graph.operators.get(name)?.type === 'extract_operator',
    );
    if (before.length === 0) return [];
    return [
      {
        message_code: 'MULTIPLE_EXTRACTED_DETECTED',
        message: `'${operator.name}' reads the documents again that ${before.join(', ')} has read, and replaces their text.`,
        ...at(operator, index),
        operators: before,
      },
    ];
  });
}

/** Vectors of whole documents: allowed, but a long document is one vector, and models cut what is too long for them. */
export function chunklessEmbeddings(
  flow: FlowDefinition,
  graph: FlowGraph,
  known: Known,
  columns: ReadonlyMap<string, ReadonlySet<string>>,
): FlowAlert[] {
  if (!known.has('chunker')) return [];
  return flow.flow.flatMap((operator, index) => {
    const available = columns.get(operator.name);
    const isConnected = (graph.inputs.get(operator.name)?.length ?? 0) > 0;
    if (operator.type !== 'embeddings' || !isConnected || !available || available.has('chunk_index')) return [];
    return [
      {
        message_code: 'CHUNKER_OPERATOR_MISSING',
        message: `'${operator.name}' gives each document one vector; a chunker before it would give one to each part.`,
        ...at(operator, index),
        missing_operators: ['chunker'],
      },
    ];
  });
}

/** Members of `global_config` that neither the engine nor an operator of the flow reads. */
export function unknownGlobals(flow: FlowDefinition, known: Known): FlowAlert[] {
  const read = new Set([
    ...Object.keys(GlobalConfig.properties),
    ...known.keys(),
    ...flow.flow.flatMap(({ name, type }) => [name, type]),
  ]);
  return Object.keys(flow.global_config ?? {})
    .filter((key) => !read.has(key))
    .map((key) => ({
      message_code: 'UNKNOWN_CONFIGURATION_KEY',
      message: `'${key}' is no setting of a run and no operator of this flow, and is passed over; there are: ${Object.keys(GlobalConfig.properties).join(', ')}.`,
      pointer: `/global_config/${escaped(key)}`,
    }));
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : typeof value === 'string' ? [value] : [];
}
