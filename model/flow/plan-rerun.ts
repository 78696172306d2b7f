import type { Plan, Stage } from './plan';

/**
 * The part of a plan that runs again when an operator does: it, and all that takes rows from it. `seeded` are the other
 * operators whose tables that part reads; sources are not among them. Undefined when the plan has no such operator.
 */
export function planFrom(plan: Plan, first: string): { plan: Plan; seeded: string[] } | undefined {
  const operators = plan.stages.flatMap((stage) => stage.operators);
  if (!operators.some(({ name }) => name === first)) return undefined;
  const again = new Set([first]);
  for (const { name, inputs } of operators) if (inputs.some((input) => isOf(input, again))) again.add(name);
  const stages: Stage[] = plan.stages
    .map((stage) => ({ ...stage, operators: stage.operators.filter(({ name }) => again.has(name)) }))
    .filter((stage) => stage.operators.length > 0);
  // As in every plan, the last stage goes by parts, since it settles what became of their documents.
  if (stages.at(-1)?.scope !== 'row') stages.push({ scope: 'row', operators: [] });
  const sources = new Set(plan.sources.map(({ name }) => name));
  const read = stages.flatMap((stage) => stage.operators.flatMap(({ inputs }) => inputs));
  const seeded = [...new Set(read)].filter((input) => !isOf(input, again) && !sources.has(input));
  return { plan: { ...plan, stages }, seeded };
}

/** An input names an operator, or a branch of it as `name.branch`. */
function isOf(input: string, names: ReadonlySet<string>): boolean {
  return names.has(input) || names.has(input.slice(0, Math.max(0, input.lastIndexOf('.'))));
}
