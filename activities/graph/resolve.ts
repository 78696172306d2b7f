import { chatModel, type ChatQuestion } from '../../graph/ask/chat-model';
import { compareCodePoints } from '../../graph/core/json-text';
import { foldNodes } from '../../graph/corpus/fold';
import { groupByKeys } from '../../graph/corpus/group';
import { askAboutPairs, type PairQuestion, maxPairsPerRequest } from '../../graph/resolve/ask';
import { comparePairs } from '../../graph/resolve/candidates';
import { proposePair } from '../../graph/resolve/propose';
import type { GraphTemplate } from '../../graph/template/model';
import type { CorpusOutcome, CorpusUsage } from '../../model/graph/corpus';
import type { NodeFact } from '../../model/graph/facts';
import { isFinalGraph } from '../../model/graph/graph-build';
import type { EntityPair } from '../../model/graph/pairs';
import { locateUpdateInput } from '../../services/graph/files';
import { type GraphRecord, noUsage } from '../../services/graph/store';
import type { Pulse } from '../conduct';
import type { GraphDeps } from './deps';
import { describeReachedLimit } from './limits';
import { createModelHooks } from './model-hooks';
import { buildOwner, getSetId, readCorpusTemplate } from './update-plan';
import { untilCancelled } from './watch-cancel';

const documentsPerQuery = 50;
/** Nodes compared in this attempt, so that nodes of many documents are compared once. */
const maxRemembered = 100_000;

/**
 * Finds nodes with the same meaning: compares nodes of new documents by rules, then asks the model of the graph about the
 * doubtful pairs if its settings enable that. Another attempt continues where this one ended.
 */
export async function resolveEntities(
  deps: GraphDeps,
  graphId: string,
  given: AbortSignal,
  pulse: Pulse,
): Promise<CorpusOutcome> {
  const { store } = deps;
  const graph = await store.get(graphId);
  if (!graph || isFinalGraph(graph.state)) return { state: 'CANCELED' };
  const mode = graph.corpus?.resolution ?? 'off';
  if (mode === 'off' || graph.corpus?.is_dry_run) return { state: 'COMPLETED' };
  return untilCancelled({ store, id: graphId, given }, async (signal) => {
    await compareDocuments(deps, graph, signal, pulse);
    return mode === 'model' ? await decideDoubtful(deps, graph, signal, pulse) : { state: 'COMPLETED' as const };
  });
}

function loadView({ corpora, documentSets }: GraphDeps, graph: GraphRecord) {
  return corpora.openView(graph.id, (ids) =>
    documentSets.findReadableDocuments(buildOwner(graph), getSetId(graph), ids),
  );
}

async function compareDocuments(deps: GraphDeps, graph: GraphRecord, signal: AbortSignal, pulse: Pulse): Promise<void> {
  const { corpora } = deps;
  const template = readCorpusTemplate(graph);
  const compared = new Set<string>();
  for (;;) {
    const documents = await corpora.listUncompared(graph.id, documentsPerQuery);
    if (documents.length === 0) return;
    for (const documentId of documents) {
      signal.throwIfAborted();
      const { nodes, done } = await corpora.compare(graph.id, documentId);
      const fresh = nodes.filter(({ node }) => !compared.has(node));
      await compareNodes(deps, graph, template, fresh);
      if (compared.size > maxRemembered) compared.clear();
      for (const { node } of fresh) compared.add(node);
      await done();
      pulse.done = (pulse.done ?? 0) + 1;
    }
  }
}

async function compareNodes(
  deps: GraphDeps,
  graph: GraphRecord,
  template: GraphTemplate,
  nodes: readonly NodeFact[],
): Promise<void> {
  for (const pair of await comparePairs(loadView(deps, graph), template, nodes))
    await deps.corpora.pairs.propose(graph.id, proposePair(pair));
}

/** Asks the model about pairs that the rules could not decide. Pairs that the model cannot decide wait for a person; it is not asked again. */
async function decideDoubtful(
  deps: GraphDeps,
  graph: GraphRecord,
  signal: AbortSignal,
  pulse: Pulse,
): Promise<CorpusOutcome> {
  const { pairs } = deps.corpora;
  for (let after = ''; ;) {
    const found = await pairs.list(graph.id, { state: 'open', by: 'rules' }, { after, limit: maxPairsPerRequest });
    const last = found.at(-1);
    if (!last) return { state: 'COMPLETED' };
    const stop = await describeReachedLimit(deps.store, graph.id);
    if (stop) return { state: 'FAILED', code: 'GRAPH_LIMIT_REACHED', message: stop };
    await decidePairs(deps, graph, found.map(({ pair }) => pair), signal); // prettier-ignore
    pulse.done = (pulse.done ?? 0) + 1;
    after = last.key;
  }
}

async function decidePairs(
  deps: GraphDeps,
  graph: GraphRecord,
  pairs: readonly EntityPair[],
  signal: AbortSignal,
): Promise<void> {
  const facts = await loadView(deps, graph).nodes([...new Set(pairs.flatMap(({ one, other }) => [one, other]))]);
  const byId = new Map(foldNodes(keepFirstDocuments(facts)).map((node) => [node.id, node]));
  const asked = pairs.flatMap((pair): { pair: EntityPair; question: PairQuestion }[] => {
    const [node, other] = [byId.get(pair.one), byId.get(pair.other)];
    return node && other ? [{ pair, question: { label: pair.label, nodes: [node, other] } }] : [];
  });
  if (asked.length === 0) return;
  const usage: CorpusUsage = { ...noUsage };
  const hooks = await createModelHooks(deps, graph, {
    signal,
    work: locateUpdateInput(graph.id).work('pairs'),
    onUsage: ({ requests, inputTokens, outputTokens }) => {
      usage.model_calls += requests;
      usage.input_tokens += inputTokens;
      usage.output_tokens += outputTokens;
    },
  });
  try {
    const model = chatModel((question: ChatQuestion, over) => hooks.ask(question, over ?? signal));
    const answers = await askAboutPairs(model, asked.map(({ question }) => question), signal); // prettier-ignore
    for (const [index, { pair, question }] of asked.entries()) {
      const answer = answers[index] ?? 'unsure';
      const { decidedAt: _decidedAt, ...known } = pair;
      const basis = question.nodes.flatMap(({ support }) => support.map(({ document_id }) => document_id));
      const state = answer === 'unsure' ? ('open' as const) : answer;
      await deps.corpora.pairs.decide(graph.id, { ...known, state, by: 'model', basis: [...new Set(basis)] });
    }
  } finally {
    if (usage.model_calls > 0) await deps.store.addUsage(graph.id, usage);
  }
}

/** The model is shown what this many documents say of a node, so that a decision names the documents that it is based on. */
const shownDocuments = 20;

function keepFirstDocuments(facts: readonly NodeFact[]): NodeFact[] {
  return [...groupByKeys(facts, ({ node }) => [node]).values()].flatMap((own) => {
    const first = [...new Set(own.map(({ documentId }) => documentId))]
      .toSorted(compareCodePoints)
      .slice(0, shownDocuments);
    return own.filter(({ documentId }) => first.includes(documentId));
  });
}
