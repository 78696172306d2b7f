import { buildEffectiveConfig } from './config';
import type { FlowDefinition } from './flow';
import { readGraph, sortTopologically } from './graph';
import type { OperatorDefinition } from './operator';
import type { Plan, PlannedOperator, Stage } from './plan';

const defaultBatchSize = 32;
const defaultConcurrentBatches = 4;

/** The plan of a valid flow: sources, then stages in topological order, split before and after operators that need all rows. */
export function planFlow(flow: FlowDefinition, definitions: readonly OperatorDefinition[]): Plan {
  const graph = readGraph(flow);
  const definitionsByName = new Map(definitions.map((definition) => [definition.name, definition]));
  const sources: PlannedOperator[] = [];
  const stages: Stage[] = [];
  for (const name of sortTopologically(graph).order) {
    const type = graph.operators.get(name)?.type ?? '';
    const definition = definitionsByName.get(type);
    if (!definition) continue;
    const planned = { name, type, queue: definition.queue, inputs: graph.inputs.get(name) ?? [] };
    if (definition.scope === 'source') {
      sources.push(planned);
      continue;
    }
    const last = stages.at(-1);
    const scope = needsAllRows(flow, name, definition) ? 'table' : definition.scope;
    if (scope === 'row' && last?.scope === 'row') last.operators.push(planned);
    else stages.push({ scope, operators: [planned] });
  }
  // The last stage records the final state of the documents of each part, so it runs by parts even without operators.
  if (stages.at(-1)?.scope !== 'row') stages.push({ scope: 'row', operators: [] });
  return {
    sources,
    stages,
    batchSize: flow.global_config?.micro_batch_size ?? defaultBatchSize,
    maxConcurrentBatches: flow.global_config?.max_concurrent_batches ?? defaultConcurrentBatches,
    failFast: flow.global_config?.fail_fast ?? false,
    ...(flow.global_config?.time_limit_minutes === undefined
      ? {}
      : { timeLimitMinutes: flow.global_config.time_limit_minutes }),
  };
}

function needsAllRows(flow: FlowDefinition, name: string, definition: OperatorDefinition): boolean {
  const operator = flow.flow.find((candidate) => candidate.name === name);
  return operator !== undefined && definition.needsAllRows?.(buildEffectiveConfig(flow, operator)) === true;
}
