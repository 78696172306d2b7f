import { cleanGraph } from '../core/clean';
import { ExtractionError, ValueError } from '../core/errors';
import { canonicalizeValue, nodeId, type Profile, schemaHash } from '../core/identity';
import { addEdge, createGraph, type GraphEdge, type KnowledgeGraph, findText } from '../core/knowledge-graph';
import { type Attributes, type GraphValue, isEmpty, isRecord, setMember } from '../core/value';
import type { GraphTemplate, TemplateClass, TemplateField } from '../template/model';
import { getClass, reachableClasses } from '../template/template';
import { listAliasCandidates } from './aliases';
import { limitInstances, closedMark, dropClosedCatalogs } from './limits';
import { castInstance } from './typed-input';

export interface BuildOptions {
  /** `peer` builds the ids and the simple graph of the Python library. Default `spec`. */
  profile?: Profile;
  /** Add a reverse edge for each edge, labelled `reverse_…`. */
  reverseEdges?: boolean;
  /** Merge equal nodes, and remove self loops and edges without ends. Default true. */
  cleanUp?: boolean;
  /** Limit classes to `graph_max_instances` nodes. Default true. */
  bounds?: boolean;
  /** Called for each instance with its node and its path in the input (`/0/lines/1`), before clean-up. */
  onNode?: (node: string, pointer: string) => void;
  /** Called with the whole graph before clean-up, because provenance must be recorded before equal nodes are merged. */
  beforeCleanUp?: (graph: KnowledgeGraph) => void;
}

/**
 * Builds the graph from instances of the template's root class. Equal identities become one node; later instances fill its
 * empty attributes, and the first non-empty value stays. Throws an ExtractionError without instances, and a ValueError for an
 * instance that contains itself.
 */
export function buildGraph(
  template: GraphTemplate,
  instances: readonly Attributes[],
  options: BuildOptions = {},
): KnowledgeGraph {
  if (instances.length === 0)
    throw new ExtractionError('There is nothing to build a graph from', { reason: 'no_models_extracted' });
  for (const instance of instances) refuseCycles(instance, new Set());
  const profile = options.profile ?? 'spec';
  const graph = createGraph({ isMulti: profile === 'spec' });
  const build: Build = { template, graph, profile, onNode: options.onNode, started: new Map(), edges: [] };
  const root = getClass(template, template.root);
  const roots = instances.map((raw) => castInstance(template, template.root, raw));
  const ids = new Map<Attributes, string>();
  roots.forEach((values, index) => addInstance(build, root, { values, pointer: `/${index}` }, ids));
  // A component at the root has no node, so it has no outgoing edges.
  if (root.isEntity)
    for (const values of roots) collectEdges(build, root, values, { owner: ids.get(values) ?? '', ids });
  for (const edge of build.edges) addEdge(graph, edge);
  for (const edge of reverseEdges(build.edges, options.reverseEdges ?? false)) addEdge(graph, edge);
  const classes = profile === 'peer' ? listUsedClasses(template, roots) : reachableClasses(template);
  graph.attributes = buildContract(template, classes);
  options.beforeCleanUp?.(graph);
  if (options.cleanUp ?? true) {
    cleanGraph(graph);
    noteAliases(graph, classes);
  }
  dropClosedCatalogs(graph);
  if (options.bounds ?? true) limitInstances(graph, { template, classes, profile });
  noteEmptyIdentities(graph, classes, profile);
  return graph;
}

const maxDepth = 400;

// Traversing an object that contains itself would never end.
function refuseCycles(value: GraphValue, above: Set<GraphValue>): void {
  if (!Array.isArray(value) && !isRecord(value)) return;
  if (above.has(value) || above.size >= maxDepth)
    throw new ValueError(`An instance contains itself, or is nested deeper than ${maxDepth} levels`);
  above.add(value);
  for (const member of Object.values(value)) refuseCycles(member, above);
  above.delete(value);
}

interface Build {
  template: GraphTemplate;
  graph: KnowledgeGraph;
  profile: Profile;
  onNode?: (node: string, pointer: string) => void;
  /** The attributes of every node, including nodes whose children are still being processed. */
  started: Map<string, Attributes>;
  /** In the order in which the instances mention them. */
  edges: BuiltEdge[];
}
interface BuiltEdge extends GraphEdge {
  reverseLabel?: string;
}
interface Placed {
  values: Attributes;
  pointer: string;
}

// Children first, in the order of the peer's files. An identity that contains itself is finished by its outer occurrence.
function addInstance(build: Build, templateClass: TemplateClass, placed: Placed, ids: Map<Attributes, string>): void {
  const { values, pointer } = placed;
  if (ids.has(values)) return;
  const id = templateClass.isEntity ? nodeId(templateClass, values, build.profile) : '';
  ids.set(values, id);
  const wasStarted = build.started.has(id);
  if (templateClass.isEntity) startNode(build, templateClass, placed, id);
  for (const { field, child, pointer: childPointer } of listChildren(templateClass, values, pointer))
    addInstance(build, getClass(build.template, field.model ?? ''), { values: child, pointer: childPointer }, ids);
  const attributes = build.started.get(id);
  if (attributes && !wasStarted) build.graph.nodes.set(id, attributes);
}

function startNode(build: Build, templateClass: TemplateClass, { values, pointer }: Placed, id: string): void {
  build.onNode?.(id, pointer);
  const attributes: Attributes = { id, label: templateClass.name, type: 'entity', __class__: templateClass.name };
  for (const [key, value] of Object.entries(selectOwnValues(build, templateClass, values)))
    setOwn(build, attributes, key, value);
  const startedNode = build.started.get(id);
  // The peer ignores the attributes of an inner occurrence of the same identity.
  if (startedNode && (build.profile === 'spec' || build.graph.nodes.has(id))) fill(startedNode, attributes);
  if (!startedNode) build.started.set(id, attributes);
}

// A field named id, label or type would make the file unreadable; only the peer accepts that.
function setOwn({ profile }: Build, attributes: Attributes, key: string, value: GraphValue): void {
  const isReserved = key === 'id' || key === 'label' || key === 'type' || key === '__class__';
  setMember(attributes, isReserved && profile === 'spec' ? `${key}_` : key, value);
}

function fill(target: Attributes, attributes: Attributes): void {
  for (const [key, value] of Object.entries(attributes))
    if (isEmpty(target[key]) && !isEmpty(value)) setMember(target, key, value);
}

/** The objects below an instance, by field. */
function listChildren(templateClass: TemplateClass, values: Attributes, pointer: string) {
  const children: { field: TemplateField; child: Attributes; pointer: string }[] = [];
  for (const field of templateClass.fields) {
    if (!field.model) continue;
    const value = values[field.name] ?? null;
    if (isRecord(value)) children.push({ field, child: value, pointer: `${pointer}/${field.name}` });
    if (!Array.isArray(value)) continue;
    value.forEach((item, index) => {
      if (isRecord(item)) children.push({ field, child: item, pointer: `${pointer}/${field.name}/${index}` });
    });
  }
  return children;
}

// Entities are removed from the attributes and become edges; components stay. The peer keeps a null for each relation.
function selectOwnValues(build: Build, templateClass: TemplateClass, values: Attributes): Attributes {
  const attributes: Attributes = {};
  for (const field of templateClass.fields) {
    const target = field.model ? getClass(build.template, field.model) : undefined;
    const value = target ? selectOwnModel(build, target, values[field.name] ?? null) : (values[field.name] ?? null);
    if (target?.isEntity && build.profile === 'spec' && isEmpty(value)) continue;
    setMember(attributes, field.name, value);
  }
  return attributes;
}

function selectOwnModel(build: Build, target: TemplateClass, value: GraphValue): GraphValue {
  if (target.isEntity) return isRecord(value) || (Array.isArray(value) && isRecord(value[0])) ? null : value;
  if (Array.isArray(value)) return value.map((item) => selectOwnModel(build, target, item));
  return isRecord(value) ? selectOwnValues(build, target, value) : value;
}

interface Walk {
  owner: string;
  ids: Map<Attributes, string>;
}

function collectEdges(build: Build, templateClass: TemplateClass, values: Attributes, { owner, ids }: Walk): void {
  for (const { field, child } of listChildren(templateClass, values, '')) {
    const target = getClass(build.template, field.model ?? '');
    const id = ids.get(child) ?? '';
    const label = field.edgeLabel ?? field.name;
    const mark: Attributes = field.isClosedCatalog ? { [closedMark]: label } : {};
    if (target.isEntity)
      build.edges.push({
        source: owner,
        target: id,
        attributes: { label, ...mark },
        reverseLabel: field.reverseLabel,
      });
    collectEdges(build, target, child, { owner: target.isEntity ? id : owner, ids });
  }
}

// After all forward edges. A field with its own reverse label gets a reverse edge even if the others do not.
function reverseEdges(edges: readonly BuiltEdge[], reverseAll: boolean): GraphEdge[] {
  return edges.flatMap(({ source, target, attributes, reverseLabel }) => {
    if (!reverseLabel && !reverseAll) return [];
    const label = reverseLabel ?? `reverse_${findText(attributes['label'])}`;
    return [{ source: target, target: source, attributes: { ...attributes, label } }];
  });
}

// The data that a later merge needs: how identities were built, and with which template.
function buildContract(template: GraphTemplate, classes: readonly TemplateClass[]): Attributes {
  return {
    format: 'v2',
    template_name: template.root,
    template_schema_hash: schemaHash(template.schema),
    id_fields_map: Object.fromEntries(classes.map(({ name, idFields }) => [name, idFields])),
  };
}

/** The classes with instances, in order of first occurrence. */
function listUsedClasses(template: GraphTemplate, roots: readonly Attributes[]): TemplateClass[] {
  const classesByName = new Map<string, TemplateClass>();
  const visit = (templateClass: TemplateClass, values: Attributes) => {
    if (!classesByName.has(templateClass.name)) classesByName.set(templateClass.name, templateClass);
    for (const { field, child } of listChildren(templateClass, values, ''))
      visit(getClass(template, field.model ?? ''), child);
  };
  for (const values of roots) visit(getClass(template, template.root), values);
  return [...classesByName.values()];
}

// Candidates only: a model or a person must decide whether two names mean the same entity.
function noteAliases(graph: KnowledgeGraph, classes: readonly TemplateClass[]): void {
  const groups = listAliasCandidates(graph, new Map(classes.map(({ name, idFields }) => [name, idFields])));
  const candidates = groups.reduce((sum, { merge }) => sum + merge.length, 0);
  if (candidates > 0)
    graph.attributes['alias_reconciliation'] = { candidates, confirmed: 0, merged: 0, vetoed_sibling: 0 };
}

// For the peer, an identity is empty when its values are; here also when none of them is significant.
function noteEmptyIdentities(graph: KnowledgeGraph, classes: readonly TemplateClass[], profile: Profile): void {
  const idFields = new Map(classes.map((templateClass) => [templateClass.name, templateClass.idFields]));
  const isBlank = (field: string, value: GraphValue) =>
    profile === 'peer'
      ? value === null || (typeof value === 'string' && value.trim() === '')
      : isEmpty(canonicalizeValue(field, value, profile));
  const empty = [...graph.nodes].filter(([, attributes]) => {
    const fields = idFields.get(findText(attributes['__class__']) ?? '') ?? [];
    return fields.length > 0 && fields.every((field) => isBlank(field, attributes[field] ?? null));
  });
  if (empty.length > 0) graph.attributes['empty_identity_nodes'] = empty.map(([key]) => String(key));
}
