import { createHash } from 'node:crypto';
import type { Contribution, EdgeFact, FactPassage, NodeFact } from '../../model/graph/facts';
import { jsonText } from '../core/json-text';
import { edgesOf, type KnowledgeGraph, findText } from '../core/knowledge-graph';
import type { Attributes } from '../core/value';
import { splitBlocks } from '../resolve/blocks';
import type { GraphTemplate } from '../template/model';
import { listPassages } from './passages';
import { listPropertyKeys, searchText, listSearchWords } from './property-keys';

/** Attributes that describe how a node was found instead of what it is. */
const foundAttributes = ['id', 'label', 'type', '__class__', '__provenance__'];

/**
 * The facts of a document from its own graph and ledger. Nodes of classes with `graph_scope: document` get separate ids for
 * each document, because identities such as line numbers mean nothing outside of it.
 */
export function buildContribution(
  graph: KnowledgeGraph,
  { ledger, template, documentId }: { ledger?: Attributes; template?: GraphTemplate; documentId: string },
): Contribution {
  const ids = new Map(
    [...graph.nodes].map(([key, { label }]) => {
      const isScoped = template?.classes.get(findText(label) ?? '')?.isDocumentScoped ?? false;
      return [key, isScoped ? `${String(key)}__doc_${hashShort(documentId)}` : String(key)];
    }),
  );
  const nodes = [...graph.nodes].map(([key, attributes]): NodeFact => {
    const entity = template?.classes.get(findText(attributes['label']) ?? '');
    const own = Object.fromEntries(Object.entries(attributes).filter(([name]) => !foundAttributes.includes(name)));
    return {
      node: ids.get(key) ?? String(key),
      label: findText(attributes['label']) ?? 'Node',
      documentId,
      attributes: jsonText(own, { nonFinite: 'null' }),
      passages: listPassages(attributes['__provenance__'] ?? null, ledger),
      keys: listPropertyKeys(own),
      text: searchText(own),
      words: listSearchWords(own),
      ...(entity ? { blocks: splitBlocks(entity, own) } : {}),
    };
  });
  const passages = new Map(nodes.map((node) => [node.node, node.passages]));
  const edges = edgesOf(graph).map(({ source, target, attributes }): EdgeFact => {
    const { label, ...properties } = attributes;
    const end = ids.get(target) ?? String(target);
    const start = ids.get(source) ?? String(source);
    return {
      source: start,
      target: end,
      label: findText(label) ?? 'RELATED_TO',
      documentId,
      attributes: jsonText(properties, { nonFinite: 'null' }),
      passages: findSharedPassages(passages.get(start) ?? [], passages.get(end) ?? []),
    };
  });
  return { nodes, edges };
}

/** The passages about the target in chunks that also name the source; else all about the target. */
function findSharedPassages(source: readonly FactPassage[], target: readonly FactPassage[]): FactPassage[] {
  const chunks = new Set(source.map(({ chunk }) => chunk));
  const shared = target.filter(({ chunk }) => chunks.has(chunk));
  return shared.length > 0 ? shared : [...target];
}

function hashShort(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
