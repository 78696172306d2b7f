import { buildGraph, templateFrom } from '../../graph';
import { buildContribution } from '../../graph/corpus/contribution';
import { createMemoryView } from '../../graph/corpus/memory-view';
import { searchPassages } from '../../graph/corpus/search-passages';
import { listWords } from '../../graph/resolve/name-words';
import type { Contribution } from '../../model/graph/facts';
import { print, readNumber, runCommand } from '../support/command';
import { buildCodedDocuments, codedClasses as classes } from './coded-documents';
import { listHeldBackQuestions, buildLinkedDocuments, type LinkedDocument as Document } from './linked-documents';

const usage = `usage: node dist/bench/graph/questions.js [--companies N] [--held-back | --codes]

Asks questions whose answer needs two documents, where only one of them shares a name with the question, of generated documents about
orders, companies and people (default 200 companies). Compares the passages behind the nearest facts of their graph with a ranking by
words (BM25): how often both documents are among the first 5 and 10. The graph holds what the documents say; no model is asked.
With --held-back, it asks twelve questions about other relations, and twelve that need one document. With --codes, it asks about orders and
invoices by numbers whose parts many documents share.`;

function buildFacts(documents: readonly Document[]): Contribution {
  const facts: Contribution = { nodes: [], edges: [] };
  for (const { id, text, root, values } of documents) {
    const template = templateFrom({ root, classes });
    const { nodes, edges } = buildContribution(buildGraph(template, [values as never]), { template, documentId: id });
    const passages = [{ chunk: 0, text }];
    facts.nodes.push(...nodes.map((node) => ({ ...node, passages })));
    facts.edges.push(...edges.map((edge) => ({ ...edge, passages })));
  }
  return facts;
}

/** Ranks documents by their words: BM25 with the usual k1 1.2 and b 0.75. */
function createWordRanking(documents: readonly Document[]): (query: string) => string[] {
  const words = documents.map(({ text }) => listWords(text));
  const mean = words.reduce((sum, { length }) => sum + length, 0) / words.length;
  const having = new Map<string, number>();
  for (const own of words) for (const word of new Set(own)) having.set(word, (having.get(word) ?? 0) + 1);
  return (query) => {
    const wantedWords = [...new Set(listWords(query))];
    const scored = words.map((own, index) => {
      const score = wantedWords.reduce((sum, word) => {
        const times = own.filter((value) => value === word).length;
        const found = having.get(word) ?? 0;
        const rarity = Math.log(1 + (words.length - found + 0.5) / (found + 0.5));
        return sum + (rarity * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * own.length) / mean));
      }, 0);
      return { id: documents[index]?.id ?? '', score };
    });
    return scored.toSorted((item, other) => other.score - item.score).map(({ id }) => id);
  };
}

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  const companies = readNumber(argv, '--companies', 200);
  const hasCodes = argv.includes('--codes');
  const { documents, questions: usual } = (hasCodes ? buildCodedDocuments : buildLinkedDocuments)(companies);
  const questions = argv.includes('--held-back') ? listHeldBackQuestions(companies) : usual;
  const view = createMemoryView(buildFacts(documents));
  const byWords = createWordRanking(documents);
  const kinds = new Map<string, { asked: number; words: [number, number]; graph: [number, number] }>();
  let graphMs = 0;
  for (const { kind, text, needs } of questions) {
    const known = kinds.get(kind) ?? { asked: 0, words: [0, 0], graph: [0, 0] };
    const began = performance.now();
    const { passages } = await searchPassages(view, text, 10);
    graphMs += performance.now() - began;
    const rankings = { words: byWords(text), graph: [...new Set(passages.map(({ documentId }) => documentId))] };
    known.asked += 1;
    for (const way of ['words', 'graph'] as const)
      for (const [at, most] of [5, 10].entries())
        if (needs.every((id) => rankings[way].slice(0, most).includes(id))) known[way][at as 0 | 1] += 1;
    kinds.set(kind, known);
  }
  const share = (count: number, all: number) => (count / all).toFixed(2);
  for (const [kind, { asked, words, graph }] of kinds)
    print(
      `${kind}: ${asked} questions; all documents among the first 5 and 10: by words ${words.map((word) => share(word, asked)).join(', ')}; by the graph ${graph.map((value) => share(value, asked)).join(', ')}`,
    );
  print(
    `${documents.length} documents; ${(graphMs / questions.length).toFixed(1)} ms per question by the graph in memory`,
  );
  return 0;
}

runCommand(main);
