import { isObject } from '../json';
import type { ElyraProblem } from './problem';

export type Json = Record<string, unknown>;

/** The parts of a pipeline node that a flow needs. */
export interface ElyraNode {
  id: string;
  /** JSON pointer into the definition. */
  pointer: string;
  op: string;
  /** The label in the editor; undefined when blank. */
  label: string | undefined;
  parameters: Json;
  links: {
    id: string | undefined;
    name: string | undefined;
    nodeId: string;
    portId: string | undefined;
    pointer: string;
  }[];
  /** Ids of the output ports; empty when none are listed. */
  outputs: string[];
  /** For branching nodes: the condition of each link. */
  branches: { id: string | undefined; name: string; condition: Json }[];
}

/** The executable nodes of a pipeline, in order; comments and bindings are skipped. `base` is a JSON pointer to the pipeline. */
export function listNodes(pipeline: Json, base: string, problems: ElyraProblem[]): ElyraNode[] {
  const listed = pipeline['nodes'] ?? [];
  if (!Array.isArray(listed)) {
    problems.push({ message: "'nodes' must be a list.", pointer: `${base}/nodes` });
    return [];
  }
  const seen = new Set<string>();
  return listed.flatMap((node: unknown, index) => {
    const pointer = `${base}/nodes/${index}`;
    const read = isObject(node) ? readNode(node, pointer) : undefined;
    if (isObject(node) && node['type'] !== undefined && node['type'] !== 'execution_node') return [];
    if (!read) {
      problems.push({ message: "A node needs an 'id' and the operator in 'op'.", pointer });
      return [];
    }
    if (seen.has(read.id))
      problems.push({ message: `The node id '${read.id}' is used twice.`, pointer: `${pointer}/id` });
    seen.add(read.id);
    return [read];
  });
}

function readNode(node: Json, pointer: string): ElyraNode | undefined {
  const id = findText(node, 'id');
  const op = findText(node, 'op');
  if (id === undefined || op === undefined) return undefined;
  const parameters = getObject(node, 'parameters');
  return {
    id,
    pointer,
    op,
    label: findText(getObject(getObject(node, 'app_data'), 'ui_data'), 'label'),
    parameters,
    links: listAt(node, 'inputs').flatMap((input, port) =>
      listAt(input, 'links').flatMap((link, index) => {
        const nodeId = findText(link, 'node_id_ref');
        if (nodeId === undefined) return [];
        const place = `${pointer}/inputs/${port}/links/${index}`;
        return [
          {
            id: findText(link, 'id'),
            name: findText(link, 'link_name'),
            nodeId,
            portId: findText(link, 'port_id_ref'),
            pointer: place,
          },
        ];
      }),
    ),
    outputs: listAt(node, 'outputs').flatMap((output) => findText(output, 'id') ?? []),
    branches: listAt(parameters, 'link_conditions').flatMap((condition) => {
      const name = findText(condition, 'link_name');
      return name === undefined
        ? []
        : [{ id: findText(condition, 'link_id'), name, condition: getObject(condition, 'condition') }];
    }),
  };
}

/** The member if it is an object, otherwise an empty object. */
export function getObject(value: Json, name: string): Json {
  const member = value[name];
  return isObject(member) ? member : {};
}

/** The member if it is a non-blank string, otherwise undefined. */
export function findText(value: Json, name: string): string | undefined {
  const member = value[name];
  return typeof member === 'string' && member.trim() !== '' ? member : undefined;
}

/** The objects in a member that is a list; none if it is not. */
function listAt(value: Json, name: string): Json[] {
  const member = value[name];
  return Array.isArray(member) ? member.filter(isObject) : [];
}
