import type { Plan, Stage } from './plan';

/**
 * The part of a plan that runs again with the operator `first`: that operator and everything downstream. `seeded` lists other
 * operators whose tables that part reads, except sources. Undefined when the plan has no such operator.
 */
export function planFrom(plan: Plan, first: string): { plan: Plan; seeded: string[] } | undefined {
  const operators = plan.stages.flatMap((stage) => stage.operators);
  if (!operators.some(({ name }) => name === first)) return undefined;
  const repeated = new Set([first]);
  for (const { name, inputs } of operators) if (inputs.some((input) => belongsTo(input, repeated))) repeated.add(name);
  const stages: Stage[] = plan.stages
    .map((stage) => ({ ...stage, operators: stage.operators.filter(({ name }) => repeated.has(name)) }))
    .filter((stage) => stage.operators.length > 0);
  // As in every plan, the last stage runs by parts because it records the final state of the documents.
  if (stages.at(-1)?.scope !== 'row') stages.push({ scope: 'row', operators: [] });
  const sources = new Set(plan.sources.map(({ name }) => name));
  const read = stages.flatMap((stage) => stage.operators.flatMap(({ inputs }) => inputs));
  const seeded = [...new Set(read)].filter((input) => !belongsTo(input, repeated) && !sources.has(input));
  return { plan: { ...plan, stages }, seeded };
}

/** An input names an operator, or one of its branches as `name.branch`. */
function belongsTo(input: string, names: ReadonlySet<string>): boolean {
  return names.has(input) || names.has(input.slice(0, Math.max(0, input.lastIndexOf('.'))));
}
