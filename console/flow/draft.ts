import type { FlowDefinition } from '../../client';

export type Operator = FlowDefinition['flow'][number];

/** The smallest flow: it reads a folder. */
export const emptyFlow: FlowDefinition = {
  flow_name: '',
  flow: [
    { type: 'ingest_source', name: 'ingest', config: { provider: 'filesystem', connection_params: { paths: [] } } },
  ],
};

/** A flow with one more operator, after the selected one or else after the last. Its name is unique. */
export function withOperator(flow: FlowDefinition, type: string, after: string | undefined): [FlowDefinition, string] {
  const stem = type.replace(/_operator$|_source$/, '');
  const names = new Set(flow.flow.map(({ name }) => name));
  let name = stem;
  for (let count = 2; names.has(name); count += 1) name = `${stem}-${count}`;
  const before = names.has(after ?? '') ? after : flow.flow.at(-1)?.name;
  const isSource = type === 'ingest_source';
  const added: Operator = { type, name, config: {}, ...(before && !isSource ? { depends_on: [before] } : {}) };
  return [{ ...flow, flow: [...flow.flow, added] }, name];
}

/** The flow without an operator; operators after it are attached to its inputs. */
export function omitOperator(flow: FlowDefinition, name: string): FlowDefinition {
  const gone = flow.flow.find((item) => item.name === name);
  return {
    ...flow,
    flow: flow.flow
      .filter((item) => item !== gone)
      .map((item) => {
        if (!item.depends_on?.includes(name)) return item;
        const inputs = item.depends_on.flatMap((input) => (input === name ? (gone?.depends_on ?? []) : [input]));
        return { ...item, depends_on: [...new Set(inputs)] };
      }),
  };
}

/** The flow with a changed operator. A new name is applied to operators that reference it, including the branch after a dot. */
export function withChange(flow: FlowDefinition, name: string, change: Partial<Operator>): FlowDefinition {
  const next = change.name ?? name;
  const renameInput = (input: string) =>
    input === name || input.startsWith(`${name}.`) ? `${next}${input.slice(name.length)}` : input;
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
