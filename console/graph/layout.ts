/** An operator as input to the layout. */
export interface GraphNode {
  name: string;
  inputs: readonly string[];
}

/** The position of a node: its column from the left and its row from the top. */
export interface Placed {
  name: string;
  column: number;
  row: number;
}

/** A drawing of a flow, without units. */
export interface Layout {
  nodes: Placed[];
  edges: { from: string; to: string }[];
  columns: number;
  rows: number;
}

/**
 * Places each node one column after the last of its inputs, and within its column by the mean row of its inputs, so that few
 * edges cross. Inputs are names of nodes, with a branch after a dot; unknown inputs and cycles are ignored.
 */
export function layOut(nodes: readonly GraphNode[]): Layout {
  const names = new Set(nodes.map(({ name }) => name));
  const getProducer = (input: string) =>
    names.has(input) ? input : input.slice(0, Math.max(0, input.lastIndexOf('.')));
  const inputs = new Map(
    nodes.map(({ name, inputs: inputNames }) => [
      name,
      [...new Set(inputNames.map(getProducer))].filter((producer) => names.has(producer)),
    ]),
  );
  const column = new Map<string, number>();
  const visit = (name: string, above: ReadonlySet<string>): number => {
    const depth = column.get(name);
    if (depth !== undefined) return depth;
    if (above.has(name)) return -1;
    const before = (inputs.get(name) ?? []).map((input) => visit(input, new Set([...above, name])));
    const depthOfInputs = Math.max(-1, ...before) + 1;
    column.set(name, depthOfInputs);
    return depthOfInputs;
  };
  for (const { name } of nodes) visit(name, new Set());
  const columns = Math.max(0, ...[...column.values()].map((value) => value + 1));
  const row = new Map<string, number>();
  for (let at = 0; at < columns; at += 1) {
    const here = nodes.filter(({ name }) => column.get(name) === at).map(({ name }) => name);
    const wish = new Map(here.map((name, index) => [name, findMeanRow(inputs.get(name) ?? [], row) ?? index]));
    const ordered = here.toSorted((value, other) => (wish.get(value) ?? 0) - (wish.get(other) ?? 0));
    let next = 0;
    for (const name of ordered) {
      const slot = Math.max(next, Math.round(wish.get(name) ?? 0));
      row.set(name, slot);
      next = slot + 1;
    }
  }
  return {
    nodes: nodes.map(({ name }) => ({ name, column: column.get(name) ?? 0, row: row.get(name) ?? 0 })),
    edges: nodes.flatMap(({ name }) => (inputs.get(name) ?? []).map((from) => ({ from, to: name }))),
    columns,
    rows: Math.max(0, ...[...row.values()].map((value) => value + 1)),
  };
}

function findMeanRow(inputs: readonly string[], row: ReadonlyMap<string, number>): number | undefined {
  const rows = inputs.flatMap((input) => row.get(input) ?? []);
  return rows.length === 0 ? undefined : rows.reduce((sum, value) => sum + value, 0) / rows.length;
}
