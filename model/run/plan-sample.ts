import { getProducer } from '../flow/graph';
import type { OperatorDefinition } from '../flow/operator';
import type { Plan, Stage } from '../flow/plan';

/**
 * The plan of a sample run: without the operators that write into indexes and sets. Operators after those get the rows that went
 * into them, since they pass rows on unchanged.
 */
export function planSample(plan: Plan, definitions: readonly OperatorDefinition[]): Plan {
  const storing = new Set(definitions.filter(({ stores }) => stores === true).map(({ name }) => name));
  const operators = plan.stages.flatMap((stage) => stage.operators);
  const inputsByName = new Map(
    operators.filter(({ type }) => storing.has(type)).map(({ name, inputs }) => [name, inputs]),
  );
  const resolve = (inputs: readonly string[]): string[] =>
    inputs.flatMap((input) => {
      const instead = inputsByName.get(getProducer(input, inputsByName));
      return instead ? resolve(instead) : [input];
    });
  const stages: Stage[] = plan.stages
    .map((stage) => ({
      ...stage,
      operators: stage.operators
        .filter(({ name }) => !inputsByName.has(name))
        .map((operator) => ({ ...operator, inputs: [...new Set(resolve(operator.inputs))] })),
    }))
    .filter((stage) => stage.operators.length > 0);
  // As in every plan, the last stage runs by parts because it records the final state of the documents.
  if (stages.at(-1)?.scope !== 'row') stages.push({ scope: 'row', operators: [] });
  return { ...plan, stages };
}
