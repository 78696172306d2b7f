import type { FlowDefinition, FlowOperator } from './flow';

/** A flow as a graph: for each operator the operators whose rows it takes, from `depends_on` and `edges` together. */
export interface FlowGraph {
  /** By name; where a name is repeated, the first. */
  operators: Map<string, FlowOperator>;
  /** Inputs in the order they were given, without repeats; a branch stays as `operator.branch`. */
  inputs: Map<string, string[]>;
  /** References that name no operator. */
  dangling: { from: string; name: string; pointer: string }[];
}

/** Reads the connections of a flow. Tolerates every mistake that validation reports. */
export function readGraph(flow: FlowDefinition): FlowGraph {
  const operators = new Map<string, FlowOperator>();
  for (const operator of flow.flow) if (!operators.has(operator.name)) operators.set(operator.name, operator);
  const inputs = new Map<string, string[]>([...operators.keys()].map((name) => [name, []]));
  const dangling: FlowGraph['dangling'] = [];

  const connect = (from: string, to: string, pointer: string) => {
    const target = inputs.get(to);
    if (!target) dangling.push({ from, name: to, pointer });
    else if (!operators.has(producerOf(from, operators))) dangling.push({ from: to, name: from, pointer });
    else if (!target.includes(from)) target.push(from);
  };
  for (const [index, operator] of flow.flow.entries()) {
    for (const [position, input] of (operator.depends_on ?? []).entries())
      connect(input, operator.name, `/flow/${index}/depends_on/${position}`);
  }
  for (const [index, edge] of (flow.edges ?? []).entries()) connect(edge.source, edge.target, `/edges/${index}`);
  return { operators, inputs, dangling };
}

/** The operator that an input names: the input itself, or what stands before the last dot where that is an operator. */
export function producerOf(input: string, operators: { has(name: string): boolean }): string {
  if (operators.has(input)) return input;
  const dot = input.lastIndexOf('.');
  return dot > 0 && operators.has(input.slice(0, dot)) ? input.slice(0, dot) : input;
}

/** Names in an order where inputs come first, keeping the order of the flow where it can; `cycle` holds those that never can. */
export function topologicalOrder(graph: FlowGraph): { order: string[]; cycle: string[] } {
  const waitsFor = new Map<string, number>();
  const consumers = new Map<string, string[]>();
  for (const name of graph.operators.keys()) {
    const inputs = producers(graph, name);
    waitsFor.set(name, inputs.length);
    for (const input of inputs) consumers.set(input, [...(consumers.get(input) ?? []), name]);
  }
  const order = [...graph.operators.keys()].filter((name) => waitsFor.get(name) === 0);
  // The list grows while it is walked: whoever waits for nothing any more comes next.
  for (const name of order) {
    for (const consumer of consumers.get(name) ?? []) {
      const left = (waitsFor.get(consumer) ?? 0) - 1;
      waitsFor.set(consumer, left);
      if (left === 0) order.push(consumer);
    }
  }
  const done = new Set(order);
  return { order, cycle: [...graph.operators.keys()].filter((name) => !done.has(name)) };
}

/** The groups of operators that hang together, in the order of the flow. */
export function connectedComponents(graph: FlowGraph): string[][] {
  const neighbours = new Map<string, Set<string>>([...graph.operators.keys()].map((name) => [name, new Set<string>()]));
  for (const name of graph.operators.keys()) {
    for (const producer of producers(graph, name)) {
      neighbours.get(name)?.add(producer);
      neighbours.get(producer)?.add(name);
    }
  }
  const seen = new Set<string>();
  const components: string[][] = [];
  for (const start of graph.operators.keys()) {
    if (seen.has(start)) continue;
    const component: string[] = [];
    const queue = [start];
    seen.add(start);
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      component.push(name);
      for (const neighbour of neighbours.get(name) ?? []) {
        if (seen.has(neighbour)) continue;
        seen.add(neighbour);
        queue.push(neighbour);
      }
    }
    components.push(component);
  }
  return components;
}

/** The operators that `name` takes rows from, branches resolved. */
export function producers(graph: FlowGraph, name: string): string[] {
  return [...new Set((graph.inputs.get(name) ?? []).map((input) => producerOf(input, graph.operators)))];
}

/** Everything upstream of `name`. */
export function ancestors(graph: FlowGraph, name: string): Set<string> {
  const found = new Set<string>();
  const queue = producers(graph, name);
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    queue.push(...producers(graph, next));
  }
  return found;
}
