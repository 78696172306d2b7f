import type { FlowDefinition } from '../../client';

export type Operator = FlowDefinition['flow'][number];

/** One branch of an operator that divides its rows. Members that the editor does not know stay unchanged. */
export interface Branch {
  criteria_list?: string[];
  criteria_json?: unknown;
  logical_operator?: string;
}

/** The smallest flow: it reads a folder. */
export const emptyFlow: FlowDefinition = {
  flow_name: '',
  flow: [
    { type: 'ingest_source', name: 'ingest', config: { provider: 'filesystem', connection_params: { paths: [] } } },
  ],
};

/** The members of a flow that the editor sets; the server sets the others. */
export function pickDefinition({ flow_name, description, tags, global_config, flow }: FlowDefinition): FlowDefinition {
  const flowBody = { flow_name, description, tags, global_config, flow };
  return Object.fromEntries(Object.entries(flowBody).filter(([, value]) => value !== undefined)) as FlowDefinition;
}

/** What replaces the stored flow: members that were deleted from the edited one are absent. The project is left out. */
export function buildReplacement(stored: FlowDefinition, edited: FlowDefinition): FlowDefinition {
  const replaced = { ...pickDefinition(stored), project_id: null };
  const kept = Object.fromEntries(Object.entries(stored).filter(([name]) => !Object.hasOwn(replaced, name)));
  return { ...kept, ...edited };
}

/** A flow with one more operator, after the selected one or else after the last. Its name is unique. */
export function addOperator(flow: FlowDefinition, type: string, after: string | undefined): [FlowDefinition, string] {
  const stem = type.replace(/_operator$|_source$/, '');
  const names = new Set(flow.flow.map(({ name }) => name));
  let name = stem;
  for (let count = 2; names.has(name); count += 1) name = `${stem}-${count}`;
  const predecessor = names.has(after ?? '') ? after : flow.flow.at(-1)?.name;
  const isSource = type === 'ingest_source';
  const input = findFreeOutput(flow, predecessor);
  const added: Operator = { type, name, config: {}, ...(input && !isSource ? { depends_on: [input] } : {}) };
  return [{ ...flow, flow: [...flow.flow, added] }, name];
}

/** The flow without an operator; operators after it are attached to its inputs. */
export function omitOperator(flow: FlowDefinition, name: string): FlowDefinition {
  const removed = flow.flow.find((item) => item.name === name);
  return {
    ...flow,
    flow: flow.flow
      .filter((item) => item !== removed)
      .map((item) => {
        if (!item.depends_on?.some((input) => isOutputOf(input, name))) return item;
        const inputs = item.depends_on.flatMap((input) =>
          isOutputOf(input, name) ? (removed?.depends_on ?? []) : [input],
        );
        return { ...item, depends_on: [...new Set(inputs)] };
      }),
  };
}

/** The branches by name; empty for an operator that does not divide its rows. */
export function getBranches({ config }: Operator): Record<string, Branch> {
  const branches = config?.['branches'];
  return typeof branches === 'object' && branches !== null && !Array.isArray(branches)
    ? (branches as Record<string, Branch>)
    : {};
}

/** The outputs that other operators may read: each branch as `name.branch`, or the operator itself. */
export function listOutputs(step: Operator): string[] {
  const branches = Object.keys(getBranches(step));
  return branches.length === 0 ? [step.name] : branches.map((branch) => `${step.name}.${branch}`);
}

/** The names of the branches among the inputs, without those of their operators. */
export function listBranches({ flow }: FlowDefinition, inputs: readonly string[]): string[] {
  return flow.flatMap(({ name }) =>
    inputs.filter((input) => input.startsWith(`${name}.`)).map((input) => input.slice(name.length + 1)),
  );
}

/** True if the input is the operator itself or one of its branches. */
function isOutputOf(input: string, name: string): boolean {
  return input === name || input.startsWith(`${name}.`);
}

/** The first output of the operator that nothing reads yet, or else its first output. */
function findFreeOutput(flow: FlowDefinition, name: string | undefined): string | undefined {
  const step = flow.flow.find((item) => item.name === name);
  if (!step) return undefined;
  const read = new Set(flow.flow.flatMap(({ depends_on: inputs = [] }) => inputs));
  const outputs = listOutputs(step);
  return outputs.find((output) => !read.has(output)) ?? outputs[0];
}

/** The flow with a branch added, changed or renamed. The branch keeps its position, and a new name is applied to operators that read it. */
export function putBranch(
  flow: FlowDefinition,
  name: string,
  oldName: string,
  { name: newName, branch }: { name: string; branch: Branch },
): FlowDefinition {
  const step = flow.flow.find((item) => item.name === name);
  if (!step) return flow;
  const branches = Object.entries(getBranches(step));
  const isNew = branches.every(([other]) => other !== oldName);
  const changed = branches.map(([other, value]): [string, Branch] =>
    other === oldName ? [newName, branch] : [other, value],
  );
  return replaceBranches(flow, step, {
    branches: Object.fromEntries(isNew ? [...changed, [newName, branch]] : changed),
    renameInput: (input) => (input === `${name}.${oldName}` ? [`${name}.${newName}`] : [input]),
  });
}

/** The flow without a branch; operators that read it lose this input. */
export function omitBranch(flow: FlowDefinition, name: string, branch: string): FlowDefinition {
  const step = flow.flow.find((item) => item.name === name);
  if (!step) return flow;
  const { [branch]: _removed, ...branches } = getBranches(step);
  return replaceBranches(flow, step, {
    branches,
    renameInput: (input) => (input === `${name}.${branch}` ? [] : [input]),
  });
}

function replaceBranches(
  flow: FlowDefinition,
  step: Operator,
  { branches, renameInput }: { branches: Record<string, Branch>; renameInput: (input: string) => string[] },
): FlowDefinition {
  return {
    ...flow,
    flow: flow.flow.map((item) => {
      if (item === step) return { ...item, config: { ...item.config, branches } };
      return item.depends_on ? { ...item, depends_on: item.depends_on.flatMap(renameInput) } : item;
    }),
  };
}

/** The flow with a changed operator. A new name is applied to operators that reference it, including the branch after a dot. */
export function changeOperator(flow: FlowDefinition, name: string, change: Partial<Operator>): FlowDefinition {
  const newName = change.name ?? name;
  const renameInput = (input: string) => (isOutputOf(input, name) ? `${newName}${input.slice(name.length)}` : input);
  return {
    ...flow,
    flow: flow.flow.map((item) => {
      if (item.name === name) return { ...item, ...change };
      return item.depends_on ? { ...item, depends_on: item.depends_on.map(renameInput) } : item;
    }),
  };
}

/** Parses a text as a flow, or describes the problem. Checks only the shape. */
export function readFlow(text: string): { flow: FlowDefinition } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    const { flow } = (value ?? {}) as { flow?: unknown };
    const isOperator = (value: unknown) =>
      typeof value === 'object' &&
      value !== null &&
      'name' in value &&
      'type' in value &&
      typeof value.name === 'string';
    if (!Array.isArray(flow) || !flow.every(isOperator))
      return { problem: 'flow must be a list of operators, each with a type and a name.' };
    return { flow: value as FlowDefinition };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
