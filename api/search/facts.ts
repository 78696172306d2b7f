import { type FoldedNode, foldNodes } from '../../graph/corpus/fold';
import { searchPassages } from '../../graph/corpus/search-passages';
import type { SearchRequestBody } from '../../model/search/wire';
import type { SearchRequest } from '../../services/search/ports';
import { loadView } from '../graph/view';
import { createInvalidFieldError } from '../http/invalid-field';
import type { RequestContext } from '../http/policies';

/** Passages of all graphs together. */
const maxPassages = 20;
const maxCharacters = 2_000;
const maxTitleCharacters = 200;

/**
 * The mode of a search; in the mode `graph`, a hybrid search with the passages behind the facts of graphs that are nearest to the
 * query. The facts are those that the user may see; throws "not found" for a graph that the user may not ask.
 */
export async function readFacts(
  { mode, graph, query, like }: Pick<SearchRequestBody, 'mode' | 'graph' | 'query' | 'like'>,
  context: RequestContext,
): Promise<Pick<SearchRequest, 'mode' | 'passages'>> {
  if (mode !== 'graph') {
    if (graph !== undefined) throw createInvalidFieldError('graph', "Field 'graph' belongs to the mode 'graph'.");
    return mode === undefined || mode === 'text' ? {} : { mode };
  }
  if (like !== undefined)
    throw createInvalidFieldError(
      'like',
      "The mode 'graph' looks for the facts of a query, so it does not accept 'like'. Use the mode text, vector or hybrid.",
    );
  if (graph === undefined)
    throw createInvalidFieldError(
      'graph',
      "The mode 'graph' needs the field 'graph': the id of a graph, or a list of ids.",
    );
  const question = (query ?? '').trim().slice(0, maxCharacters);
  if (question === '') throw createInvalidFieldError('query', "The mode 'graph' needs a query.");
  const ids = [...new Set(typeof graph === 'string' ? [graph] : graph)];
  const passages = await Promise.all(ids.map((id) => readPassages(id, question, context)));
  const nearest = passages.flat().toSorted((a, b) => b.score - a.score);
  return { mode: 'hybrid', passages: nearest.slice(0, maxPassages) };
}

async function readPassages(id: string, question: string, context: RequestContext) {
  const { view } = await loadView(id, context);
  const { passages } = await searchPassages(view, question, maxPassages);
  const facts = await view.nodes([...new Set(passages.flatMap((passage) => passage.nodes))]);
  const nodesById = new Map(foldNodes(facts).map((node) => [node.id, node]));
  return passages.map(({ documentId, text, score, nodes: about }) => ({
    documentId,
    text,
    score,
    fact: { graph_id: id, passage: text, nodes: about.map((node) => describeNode(node, nodesById.get(node))) },
  }));
}

function describeNode(id: string, node: FoldedNode | undefined) {
  const texts = Object.entries(node?.properties ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].trim() !== '',
  );
  const [, title] = texts.find(([name]) => name === 'name' || name === 'title') ?? texts[0] ?? [];
  return {
    id,
    label: node?.label ?? '',
    ...(title === undefined ? {} : { title: title.slice(0, maxTitleCharacters) }),
  };
}
