import type { FlowDefinition, FlowOperator } from '../flow/flow';
import { type FlowGraph, getProducer, listProducers, readGraph, sortTopologically } from '../flow/graph';
import { isObject } from '../json';
import type { Json } from './node';

/** Distance between the nodes of neighbouring columns and rows, in pixels. */
const step = { x: 220, y: 120 };
/** Distance of the first node from the left and the upper edge, in pixels. */
const origin = 60;

/**
 * Converts a flow to a pipeline document of the graphical editor. The same flow always produces the same document: node ids are
 * the names of operators, and columns show the distance from the source.
 */
export function toElyra(flow: FlowDefinition): Json {
  const graph = readGraph(flow);
  const places = layOutNodes(graph);
  const name = flow.flow_name;
  const description = flow.description ?? '';
  const globalConfig = flow.global_config ?? {};
  return {
    doc_type: 'pipeline',
    version: '3.0',
    json_schema: 'http://api.dataplatform.ibm.com/schemas/common-pipeline/pipeline-flow/pipeline-flow-v3-schema.json',
    id: 'flow',
    primary_pipeline: 'primary',
    pipelines: [
      {
        id: 'primary',
        nodes: flow.flow.map((operator) => buildNode(operator, graph, places)),
        app_data: {
          ui_data: { name, description, comments: [] },
          properties: { global_config: globalConfig },
          ds_flow: { name, description, global_config: globalConfig },
        },
        runtime_ref: '',
      },
    ],
    schemas: [],
  };
}

function buildNode(
  operator: FlowOperator,
  graph: FlowGraph,
  places: ReadonlyMap<string, { x: number; y: number }>,
): Json {
  const { name, type, config = {} } = operator;
  const place = places.get(name) ?? { x: origin, y: origin };
  return {
    id: name,
    type: 'execution_node',
    op: type,
    parameters: buildParameters(name, config, graph),
    inputs: [{ id: 'in', links: (graph.inputs.get(name) ?? []).map((input) => buildLink(input, name, graph)) }],
    outputs: [{ id: 'out' }],
    app_data: { ui_data: { label: name, x_pos: place.x, y_pos: place.y } },
  };
}

function buildLink(input: string, consumer: string, graph: FlowGraph): Json {
  const producer = getProducer(input, graph.operators);
  const branch = input === producer ? undefined : input.slice(producer.length + 1);
  return {
    id: buildLinkId(input, consumer),
    node_id_ref: producer,
    port_id_ref: 'out',
    ...(branch === undefined ? {} : { link_name: branch }),
  };
}

/** Branches become link conditions, one per consumer of a branch. */
function buildParameters(name: string, config: Json, graph: FlowGraph): Json {
  const { branches, ...parameters } = config;
  if (!isObject(branches)) return config;
  const link_conditions = Object.entries(branches).flatMap(([branch, condition]) => {
    const input = `${name}.${branch}`;
    const consumers = [...graph.inputs].filter(([, inputs]) => inputs.includes(input)).map(([consumer]) => consumer);
    const described = { link_name: branch, condition };
    if (consumers.length === 0) return [described];
    return consumers.map((consumer) => ({
      link_id: buildLinkId(input, consumer),
      ...described,
      target_node_id: consumer,
      target_port_id: 'in',
    }));
  });
  return { ...parameters, link_conditions };
}

function buildLinkId(input: string, consumer: string): string {
  return `${input} to ${consumer}`;
}

function layOutNodes(graph: FlowGraph): Map<string, { x: number; y: number }> {
  const columns = new Map<string, number>();
  const rows = new Map<number, number>();
  const places = new Map<string, { x: number; y: number }>();
  for (const name of sortTopologically(graph).order) {
    const column = Math.max(-1, ...listProducers(graph, name).map((producer) => columns.get(producer) ?? 0)) + 1;
    const row = rows.get(column) ?? 0;
    columns.set(name, column);
    rows.set(column, row + 1);
    places.set(name, { x: origin + column * step.x, y: origin + row * step.y });
  }
  return places;
}
