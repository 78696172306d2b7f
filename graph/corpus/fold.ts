import type { EdgeFact, FactPassage, NodeFact } from '../../model/graph/facts';
import { compareCodePoints, jsonText, parseJsonText } from '../core/json-text';
import { type Attributes, type GraphValue, isEmpty, isRecord } from '../core/value';

/** A document that supports a fact, and the passages in it. */
export interface Support {
  document_id: string;
  passages: FactPassage[];
}

/** A value of a property that differs from the one shown, and the documents that state it. */
export interface OtherValue {
  property: string;
  value: GraphValue;
  documents: string[];
}

/** A node as several documents describe it. */
export interface FoldedNode {
  id: string;
  label: string;
  properties: Attributes;
  support: Support[];
  /** Ids of the nodes that are shown as this one; empty unless there are several. */
  members: string[];
  /** Contradictions between the documents; the value of the first document by id is shown. */
  others: OtherValue[];
}

/** A relation that at least one document states. */
export interface FoldedEdge {
  source: string;
  target: string;
  label: string;
  properties: Attributes;
  support: Support[];
}

/**
 * Combines the facts of documents about nodes and edges. The result depends only on the set of facts, never on their order, so a
 * graph that was changed step by step equals one that is built at once. Nodes are in order of id, documents too.
 */
export function foldNodes(facts: readonly NodeFact[]): FoldedNode[] {
  return [...groupByName(facts, ({ node }) => node)].map(([id, group]) => {
    const [first] = group;
    const { properties, others } = combineFacts(group);
    const members = [...new Set(group.map(({ member = id }) => member))].sort(compareCodePoints);
    return {
      id,
      label: first?.label ?? 'Node',
      properties,
      support: collectSupport(group),
      members: members.length > 1 ? members : [],
      others,
    };
  });
}

/** Combines facts about edges like `foldNodes`, in order of source, target and label. */
export function foldEdges(facts: readonly EdgeFact[]): FoldedEdge[] {
  return [...groupByName(facts, buildEdgeName)].flatMap(([, group]) => {
    const [first] = group;
    if (!first) return [];
    const { source, target, label } = first;
    return [{ source, target, label, properties: combineFacts(group).properties, support: collectSupport(group) }];
  });
}

/** Identifies an edge: its ends and its label. */
function buildEdgeName({ source, target, label }: Pick<EdgeFact, 'source' | 'target' | 'label'>): string {
  return `${source}\u0000${target}\u0000${label}`;
}

function groupByName<T extends Described>(facts: readonly T[], nameOf: (fact: T) => string) {
  const groups = new Map<string, T[]>();
  for (const fact of facts) {
    const group = groups.get(nameOf(fact));
    if (group) group.push(fact);
    else groups.set(nameOf(fact), [fact]);
  }
  // A document may state the same of several nodes that are shown as one.
  for (const group of groups.values())
    group.sort(
      (item, other) =>
        compareCodePoints(item.documentId, other.documentId) || compareCodePoints(item.attributes, other.attributes),
    );
  return new Map([...groups].sort(([name], [other]) => compareCodePoints(name, other)));
}

interface Described {
  documentId: string;
  attributes: string;
}

// The first non-empty value of a property is shown, lists are united, and every other value is kept with its documents.
function combineFacts(facts: readonly Described[]): { properties: Attributes; others: OtherValue[] } {
  // No object, because objects inherit members such as `constructor`.
  const properties = new Map<string, GraphValue>();
  const others = new Map<string, OtherValue>();
  for (const { documentId, attributes } of facts)
    for (const [property, value] of Object.entries(parseAttributes(attributes))) {
      const shown = properties.get(property);
      if (isEmpty(shown)) {
        if (shown === undefined || !isEmpty(value)) properties.set(property, value);
      } else if (Array.isArray(shown) && Array.isArray(value)) properties.set(property, uniteValues(shown, value));
      else if (!isEmpty(value) && jsonText(value) !== jsonText(shown ?? null)) {
        const key = `${property}\u0000${jsonText(value)}`;
        const known = others.get(key);
        if (known?.documents.at(-1) === documentId) continue;
        if (known) known.documents.push(documentId);
        else others.set(key, { property, value, documents: [documentId] });
      }
    }
  return { properties: Object.fromEntries(properties), others: [...others.values()] };
}

function parseAttributes(attributes: string): Attributes {
  const value = parseJsonText(attributes);
  return isRecord(value) ? value : {};
}

function uniteValues(shown: readonly GraphValue[], added: readonly GraphValue[]): GraphValue[] {
  const known = new Set(shown.map((value) => jsonText(value)));
  return [...shown, ...added.filter((value) => !known.has(jsonText(value)))];
}

function collectSupport(facts: readonly { documentId: string; passages: FactPassage[] }[]): Support[] {
  const documents = new Map<string, FactPassage[]>();
  for (const { documentId, passages } of facts) {
    const known = documents.get(documentId) ?? [];
    const isNew = ({ chunk, text }: FactPassage) =>
      !known.some((passage) => passage.chunk === chunk && passage.text === text);
    documents.set(documentId, [...known, ...passages.filter(isNew)]);
  }
  return [...documents].map(([document_id, passages]) => ({ document_id, passages }));
}
