import type { FlowDefinition, FlowOperator } from './flow';

/** A flow as a graph. The inputs of each operator come from `depends_on` and `edges` together. */
export interface FlowGraph {
  /** By name; if a name is repeated, the first operator. */
  operators: Map<string, FlowOperator>;
  /** Inputs in the order given, without duplicates. A branch is written as `operator.branch`. */
  inputs: Map<string, string[]>;
  /** The operators that those inputs come from, without duplicates. */
  producers: Map<string, string[]>;
  /** References to unknown operators. */
  dangling: { from: string; name: string; pointer: string }[];
}

/** Reads the connections of a flow. Tolerates all mistakes that validation reports. */
export function readGraph(flow: FlowDefinition): FlowGraph {
  const operators = new Map<string, FlowOperator>();
  for (const operator of flow.flow) if (!operators.has(operator.name)) operators.set(operator.name, operator);
  const upstream = new Map<string, Set<string>>([...operators.keys()].map((name) => [name, new Set<string>()]));
  const dangling: FlowGraph['dangling'] = [];

  const connect = (from: string, to: string, pointer: string) => {
    const target = upstream.get(to);
    if (!target) dangling.push({ from, name: to, pointer });
    else if (!operators.has(getProducer(from, operators))) dangling.push({ from: to, name: from, pointer });
    else target.add(from);
  };
  for (const [index, operator] of flow.flow.entries()) {
    for (const [position, input] of (operator.depends_on ?? []).entries())
      connect(input, operator.name, `/flow/${index}/depends_on/${position}`);
  }
  for (const [index, edge] of (flow.edges ?? []).entries()) connect(edge.source, edge.target, `/edges/${index}`);
  const inputs = new Map([...upstream].map(([name, from]) => [name, [...from]]));
  const producers = new Map(
    [...upstream].map(([name, from]) => [name, [...new Set([...from].map((input) => getProducer(input, operators)))]]),
  );
  return { operators, inputs, producers, dangling };
}

/** The operator that an input refers to: the input itself, or the part before the last dot if that is an operator. */
export function getProducer(input: string, operators: { has(name: string): boolean }): string {
  if (operators.has(input)) return input;
  const dot = input.lastIndexOf('.');
  return dot > 0 && operators.has(input.slice(0, dot)) ? input.slice(0, dot) : input;
}

/** Operator names with inputs first, in the order of the flow where possible. `cycle` lists operators that can never run. */
export function sortTopologically(graph: FlowGraph): { order: string[]; cycle: string[] } {
  const waitsFor = new Map<string, number>();
  const consumers = new Map<string, string[]>();
  for (const name of graph.operators.keys()) {
    const inputs = listProducers(graph, name);
    waitsFor.set(name, inputs.length);
    for (const input of inputs) {
      const others = consumers.get(input);
      if (others) others.push(name);
      else consumers.set(input, [name]);
    }
  }
  const order = [...graph.operators.keys()].filter((name) => waitsFor.get(name) === 0);
  // The list grows during the loop: an operator is appended as soon as all its inputs are listed.
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

/** Groups of connected operators, in the order of the flow. */
export function findComponents(graph: FlowGraph): string[][] {
  const neighbours = new Map<string, Set<string>>([...graph.operators.keys()].map((name) => [name, new Set<string>()]));
  for (const name of graph.operators.keys()) {
    for (const producer of listProducers(graph, name)) {
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
    // The list grows during the loop.
    for (const name of queue) {
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

/** The operators whose rows `name` reads; branches are resolved to their operator. */
export function listProducers(graph: FlowGraph, name: string): readonly string[] {
  return graph.producers.get(name) ?? [];
}

/** All operators upstream of `name`. */
export function findAncestors(graph: FlowGraph, name: string): Set<string> {
  const names = new Set<string>();
  const queue = [...listProducers(graph, name)];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (names.has(next)) continue;
    names.add(next);
    queue.push(...listProducers(graph, next));
  }
  return names;
}

/** The operators that have one of this type upstream. */
export function findDownstream(graph: FlowGraph, type: string): Set<string> {
  const names = new Set<string>();
  for (const name of sortTopologically(graph).order)
    if (listProducers(graph, name).some((from) => names.has(from) || graph.operators.get(from)?.type === type))
      names.add(name);
  return names;
}
