import type { FlowDefinition, FlowEdge, FlowOperator } from '../flow/flow';
import { isObject } from '../json';
import { type Json, type ElyraNode, listNodes, getObject, findText } from './node';
import type { ElyraProblem } from './problem';

export { toElyra } from './write';

/** A graphical definition, converted to a flow. */
export interface ElyraFlow {
  /** Undefined when the definition has no name. */
  flowName: string | undefined;
  description: string | null;
  globalConfig: Record<string, unknown>;
  flow: FlowOperator[];
  edges: FlowEdge[];
  /** The node of each operator, in the same order. `pointer` is a JSON pointer into the definition. */
  nodes: { id: string; pointer: string }[];
}

const maxNodes = 100;

/**
 * Reads a definition of the graphical editor: a pipeline document with `pipelines`, or an authoring flow with `flow_name`.
 * Uses the primary pipeline, else the first. Reports all problems together; `validateFlow` checks for cycles.
 */
export function readElyra(definition: Record<string, unknown>): { flow: ElyraFlow; problems: ElyraProblem[] } {
  if (!('doc_type' in definition) && 'flow_name' in definition) return readAuthoring(definition);
  const problems: ElyraProblem[] = [];
  const pipeline = findPrimaryPipeline(definition, problems);
  const base = `/pipelines/${pipeline.index}`;
  const data = getObject(pipeline.value, 'app_data');
  const uiData = getObject(data, 'ui_data');
  const flowData = getObject(data, 'ds_flow');
  const properties = getObject(data, 'properties');
  const nodes = listNodes(pipeline.value, base, problems);
  if (nodes.length > maxNodes) {
    problems.push({
      message: `The pipeline has ${nodes.length} nodes; at most ${maxNodes} are allowed.`,
      pointer: base,
    });
  }
  const flow = buildOperators(nodes, problems);
  return {
    flow: {
      flowName: findText(uiData, 'name') ?? findText(flowData, 'name'),
      description: findText(uiData, 'description') ?? findText(flowData, 'description') ?? null,
      globalConfig: getGlobalConfig(properties, flowData),
      flow,
      edges: [],
      nodes: nodes.map(({ id, pointer }) => ({ id, pointer })),
    },
    problems,
  };
}

function readAuthoring(definition: Json): { flow: ElyraFlow; problems: ElyraProblem[] } {
  const { flow_name, description, global_config, flow, edges } = definition as Partial<FlowDefinition>;
  return {
    flow: {
      flowName: typeof flow_name === 'string' ? flow_name : undefined,
      description: typeof description === 'string' ? description : null,
      globalConfig: isObject(global_config) ? global_config : {},
      flow: Array.isArray(flow) ? flow : [],
      edges: Array.isArray(edges) ? edges : [],
      nodes: [],
    },
    problems: [],
  };
}

function findPrimaryPipeline(definition: Json, problems: ElyraProblem[]): { value: Json; index: number } {
  const { pipelines, primary_pipeline: primary } = definition;
  if (!('doc_type' in definition)) {
    problems.push({
      message: "The definition must hold 'doc_type' (a pipeline) or 'flow_name' (a flow).",
      pointer: '',
    });
    return { value: {}, index: 0 };
  }
  if (!Array.isArray(pipelines) || pipelines.length === 0) {
    problems.push({ message: "'pipelines' must be a list of at least one pipeline.", pointer: '/pipelines' });
    return { value: {}, index: 0 };
  }
  const primaryIndex = pipelines.findIndex((pipeline) => isObject(pipeline) && pipeline['id'] === primary);
  if (primary !== undefined && primary !== null && primaryIndex < 0) {
    problems.push({ message: `There is no pipeline ${JSON.stringify(primary)}.`, pointer: '/primary_pipeline' });
  }
  const index = Math.max(0, primaryIndex);
  const value: unknown = pipelines[index];
  return { value: isObject(value) ? value : {}, index };
}

/** `properties` contains the settings directly or under `global_config`. */
function getGlobalConfig(properties: Json, flowData: Json): Json {
  const { global_config: nested, ...flat } = properties;
  if (isObject(nested)) return { ...flat, ...nested };
  return Object.keys(flat).length > 0 ? flat : getObject(flowData, 'global_config');
}

function buildOperators(nodes: readonly ElyraNode[], problems: ElyraProblem[]): FlowOperator[] {
  const names = buildNames(nodes);
  // A duplicate id is reported elsewhere; references to it mean the first node.
  const byId = new Map(nodes.toReversed().map((node) => [node.id, node]));
  return nodes.map((node) => ({
    type: node.op,
    name: names.get(node) ?? node.op,
    config: buildConfig(node),
    depends_on: [...new Set(node.links.flatMap((link) => listDependencies(link, byId, names, problems)))],
  }));
}

/** The label from the editor. A node without a label gets the name of its operator type, numbered if that is taken. */
function buildNames(nodes: readonly ElyraNode[]): Map<ElyraNode, string> {
  const labels = new Set(nodes.flatMap(({ label }) => (label === undefined ? [] : [label])));
  const names = new Map<ElyraNode, string>();
  for (const node of nodes) {
    let name = node.label ?? node.op;
    for (let number = 2; node.label === undefined && labels.has(name); number += 1) name = `${node.op}_${number}`;
    labels.add(name);
    names.set(node, name);
  }
  return names;
}

function listDependencies(
  link: ElyraNode['links'][number],
  byId: ReadonlyMap<string, ElyraNode>,
  names: ReadonlyMap<ElyraNode, string>,
  problems: ElyraProblem[],
): string[] {
  const source = byId.get(link.nodeId);
  if (!source) {
    problems.push({
      message: `A link comes from '${link.nodeId}', which is not a node of the pipeline.`,
      pointer: link.pointer,
    });
    return [];
  }
  if (link.portId !== undefined && source.outputs.length > 0 && !source.outputs.includes(link.portId)) {
    problems.push({
      message: `A link comes from the port '${link.portId}', which the node '${source.id}' does not have.`,
      pointer: link.pointer,
    });
  }
  const name = names.get(source) ?? source.op;
  const branch = source.branches.find(({ id, name }) => id === link.id || name === link.name)?.name;
  return [branch === undefined ? name : `${name}.${branch}`];
}

/** Link conditions become `branches`; the links themselves become `depends_on`. */
function buildConfig({ parameters, branches }: ElyraNode): Json {
  const { link_conditions: _conditions, input_links: _links, ...config } = parameters;
  if (branches.length === 0) return config;
  return { ...config, branches: Object.fromEntries(branches.map(({ name, condition }) => [name, condition])) };
}
