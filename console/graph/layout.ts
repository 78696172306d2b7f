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

type Inputs = ReadonlyMap<string, readonly string[]>;

/**
 * Places each node one column after the last of its inputs, and within its column by the mean row of its inputs, so that few
 * edges cross. Inputs are names of nodes, with a branch after a dot; unknown inputs and cycles are ignored.
 */
export function layOut(nodes: readonly GraphNode[]): Layout {
  const inputs = resolveInputs(nodes);
  const columns = assignColumns(nodes, inputs);
  const rows = assignRows(nodes, inputs, columns);
  return {
    nodes: nodes.map(({ name }) => ({ name, column: columns.get(name) ?? 0, row: rows.get(name) ?? 0 })),
    edges: nodes.flatMap(({ name }) => (inputs.get(name) ?? []).map((from) => ({ from, to: name }))),
    columns: countUpTo(columns),
    rows: countUpTo(rows),
  };
}

/** The known nodes that each node reads, without their branches. */
function resolveInputs(nodes: readonly GraphNode[]): Inputs {
  const names = new Set(nodes.map(({ name }) => name));
  const omitBranch = (input: string) =>
    names.has(input) ? input : input.slice(0, Math.max(0, input.lastIndexOf('.')));
  return new Map(
    nodes.map(({ name, inputs }) => [
      name,
      [...new Set(inputs.map(omitBranch))].filter((producer) => names.has(producer)),
    ]),
  );
}

function assignColumns(nodes: readonly GraphNode[], inputs: Inputs): Map<string, number> {
  const columns = new Map<string, number>();
  const visit = (name: string, path: ReadonlySet<string>): number => {
    const known = columns.get(name);
    if (known !== undefined) return known;
    if (path.has(name)) return -1;
    const inputColumns = (inputs.get(name) ?? []).map((input) => visit(input, new Set([...path, name])));
    const column = Math.max(-1, ...inputColumns) + 1;
    columns.set(name, column);
    return column;
  };
  for (const { name } of nodes) visit(name, new Set());
  return columns;
}

/** Gives each node the free row nearest below the mean row of its inputs, column by column. */
function assignRows(
  nodes: readonly GraphNode[],
  inputs: Inputs,
  columns: ReadonlyMap<string, number>,
): Map<string, number> {
  const rows = new Map<string, number>();
  for (let column = 0; column < countUpTo(columns); column += 1) {
    const wishes = nodes
      .filter(({ name }) => columns.get(name) === column)
      .map(({ name }, index) => ({ name, row: findMeanRow(inputs.get(name) ?? [], rows) ?? index }));
    let nextFree = 0;
    for (const { name, row } of wishes.toSorted((wish, other) => wish.row - other.row)) {
      const free = Math.max(nextFree, Math.round(row));
      rows.set(name, free);
      nextFree = free + 1;
    }
  }
  return rows;
}

function findMeanRow(inputs: readonly string[], rowOf: ReadonlyMap<string, number>): number | undefined {
  const rows = inputs.flatMap((input) => rowOf.get(input) ?? []);
  return rows.length === 0 ? undefined : rows.reduce((sum, value) => sum + value, 0) / rows.length;
}

/** How many columns or rows the assigned numbers need. */
function countUpTo(numbers: ReadonlyMap<string, number>): number {
  return Math.max(-1, ...numbers.values()) + 1;
}
