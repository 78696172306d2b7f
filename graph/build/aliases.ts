import { countFilled, metaAttributes } from '../core/clean';
import { createEdgeIndex, type EdgeIndex } from '../core/edge-index';
import { canonicalText } from '../core/identity';
import { type KnowledgeGraph, type NodeKey, findText } from '../core/knowledge-graph';
import { mergeViews } from '../core/provenance-views';
import { type Attributes, type GraphValue, isEmpty, setMember } from '../core/value';
import { writePythonText } from '../peer/python-text';

/** A node whose name is contained in the names of other nodes of its class, which may be the same entity. */
export interface AliasGroup {
  class: string;
  keep: NodeKey;
  merge: NodeKey[];
  keepDisplay: string;
  mergeDisplays: string[];
}

interface Named {
  key: NodeKey;
  text: string;
  display: string;
  digits: string;
}

const minLength = 4;

/**
 * Finds pairs of one class where one identity contains the other, shorter first: at least four characters, the same numbers in
 * both, and only one such shorter identity for the longer one. Merges nothing.
 */
export function listAliasCandidates(
  graph: KnowledgeGraph,
  idFields: ReadonlyMap<string, readonly string[]>,
): AliasGroup[] {
  const classes = new Map<string, Named[]>();
  for (const [key, attributes] of graph.nodes) {
    const name = attributes['__class__'] ? writePythonText(attributes['__class__']) : '';
    const fields = idFields.get(name) ?? [];
    if (fields.length === 0) continue;
    const members = classes.get(name);
    if (members) members.push(nameNode(key, attributes, fields));
    else classes.set(name, [nameNode(key, attributes, fields)]);
  }
  return [...classes].flatMap(([name, members]) => listGroups(name, members));
}

function nameNode(key: NodeKey, attributes: Attributes, fields: readonly string[]): Named {
  const text = fields.map((field) => canonicalText(field, attributes[field] ?? null, 'peer')).join('');
  const shownFields = fields.flatMap((field) => {
    const value = attributes[field] ?? null;
    return value === null || value === '' ? [] : [writePythonText(value)];
  });
  return { key, text, display: shownFields.join(' / '), digits: (text.match(/\p{Nd}+/gu) ?? []).join() };
}

function listGroups(name: string, members: readonly Named[]): AliasGroup[] {
  const namedByKey = new Map<number, Named[]>();
  const shelves = buildShelves(members);
  for (const longer of members) {
    const shelf = shelves.get(longer.digits);
    const [base, ...others] = shelf ? listBases(longer, shelf) : [];
    if (base === undefined || others.length > 0) continue;
    const group = namedByKey.get(base);
    if (group) group.push(longer);
    else namedByKey.set(base, [longer]);
  }
  const sorted = [...namedByKey].sort(([left], [right]) => left - right);
  return sorted.flatMap(([index, group]) => {
    const keep = members[index];
    if (!keep) return [];
    const merge = group.map(({ key }) => key);
    return [
      {
        class: name,
        keep: keep.key,
        merge,
        keepDisplay: keep.display,
        mergeDisplays: group.map(({ display }) => display),
      },
    ];
  });
}

/** Texts with the same numbers, each with the indexes of its members, and the distinct lengths, shortest first. */
interface Shelf {
  texts: Map<string, number[]>;
  lengths: number[];
}

function buildShelves(members: readonly Named[]): Map<string, Shelf> {
  const shelves = new Map<string, Shelf>();
  for (const [index, { text, digits }] of members.entries()) {
    if (text.length < minLength) continue;
    const shelf = shelves.get(digits) ?? { texts: new Map<string, number[]>(), lengths: [] };
    shelves.set(digits, shelf);
    const places = shelf.texts.get(text);
    if (places) places.push(index);
    else shelf.texts.set(text, [index]);
  }
  for (const shelf of shelves.values())
    shelf.lengths = [...new Set([...shelf.texts.keys()].map(({ length }) => length))].sort((a, b) => a - b);
  return shelves;
}

/** The members whose texts are contained in another. Stops as soon as there are several. */
function listBases({ text: longer }: Named, { texts, lengths }: Shelf): number[] {
  const bases = new Set<number>();
  for (const text of iterateTextsWithin(longer, texts, lengths)) {
    for (const index of texts.get(text) ?? []) bases.add(index);
    if (bases.size > 1) break;
  }
  return [...bases];
}

// With many texts, looks up every part of the longer text; with few, searches for each text.
function* iterateTextsWithin(longer: string, texts: Shelf['texts'], lengths: readonly number[]): Generator<string> {
  const shorter = lengths.filter((length) => length < longer.length);
  if (texts.size < longer.length * shorter.length) {
    for (const text of texts.keys()) if (text.length < longer.length && longer.includes(text)) yield text;
    return;
  }
  for (const length of shorter)
    for (let at = 0; at + length <= longer.length; at += 1) {
      const part = longer.slice(at, at + length);
      if (texts.has(part)) yield part;
    }
}

/** Counts of the alias step. */
export interface AliasOutcome {
  candidates: number;
  confirmed: number;
  merged: number;
  vetoed_sibling: number;
}

/**
 * Merges the confirmed pairs. The node with more attributes stays and records the other in `merged_aliases`. Two nodes with the
 * same neighbour under the same label are members of one list and are not merged.
 */
export function mergeAliases(
  graph: KnowledgeGraph,
  groups: readonly AliasGroup[],
  confirmed: readonly { keep: NodeKey; merge: NodeKey }[],
): AliasOutcome {
  const candidates = groups.reduce((sum, { merge }) => sum + merge.length, 0);
  const outcome = { candidates, confirmed: 0, merged: 0, vetoed_sibling: 0 };
  const edgeIndex = createEdgeIndex(graph);
  for (const { keep, merge } of confirmed) {
    outcome.confirmed++;
    const [left, right] = [graph.nodes.get(keep), graph.nodes.get(merge)];
    if (!left || !right || keep === merge) continue;
    if (areSiblings(edgeIndex, keep, merge)) {
      outcome.vetoed_sibling++;
      continue;
    }
    const [survivor, absorbed] = countFilled(left) >= countFilled(right) ? [keep, merge] : [merge, keep];
    absorb(graph, edgeIndex, survivor, absorbed);
    outcome.merged++;
  }
  return outcome;
}

function areSiblings(edgeIndex: EdgeIndex, nodeKey: NodeKey, other: NodeKey): boolean {
  const listSides = (key: NodeKey) => [
    ...edgeIndex.into(key).map(({ source, attributes }) => describeSide('in', source, attributes)),
    ...edgeIndex.outOf(key).map(({ target, attributes }) => describeSide('out', target, attributes)),
  ];
  const neighbours = new Set(listSides(nodeKey));
  return listSides(other).some((side) => neighbours.has(side));
}

const describeSide = (way: 'in' | 'out', end: NodeKey, { label }: Attributes) =>
  `${way} ${typeof end} ${String(end)} ${findText(label) ?? ''}`;

function absorb(graph: KnowledgeGraph, edgeIndex: EdgeIndex, survivor: NodeKey, absorbed: NodeKey): void {
  const [survivorNode, absorbedNode] = [graph.nodes.get(survivor) ?? {}, graph.nodes.get(absorbed) ?? {}];
  const absorbedAttributes = Object.entries(absorbedNode).filter(
    ([key, value]) => !metaAttributes.has(key) && !isEmpty(value),
  );
  for (const [key, value] of absorbedAttributes) if (isEmpty(survivorNode[key])) setMember(survivorNode, key, value);
  const view = mergeViews(survivorNode['__provenance__'] ?? null, absorbedNode['__provenance__'] ?? null);
  if (view !== null) survivorNode['__provenance__'] = view;
  const mergedAliases = survivorNode['merged_aliases'];
  const alias: Attributes = {
    id: absorbed,
    ...Object.fromEntries(absorbedAttributes.filter(([, value]) => typeof value === 'string')),
  };
  const aliases: GraphValue[] = Array.isArray(mergedAliases) ? [...mergedAliases, alias] : [alias];
  survivorNode['merged_aliases'] = aliases;
  edgeIndex.redirect(absorbed, survivor);
  edgeIndex.remove(absorbed);
}
