import type { EdgeFact, FactPassage, GraphView, NodeFact } from '../../model/graph/facts';
import { compareCodePoints } from '../core/json-text';
import { selectSignificantWords, listWords } from '../resolve/name-words';
import { listCodes } from './codes';
import { listTextValues } from './property-keys';

/** A passage that supports facts related to the words of a question. */
export interface NearPassage extends FactPassage {
  documentId: string;
  /** Comparable only within one answer. */
  score: number;
  /** Ids of the nodes that it supports, nearest first. */
  nodes: string[];
}

const limits = {
  words: 16,
  codes: 6,
  perWord: 200,
  candidates: 60,
  seeds: 20,
  hops: 2,
  perHop: 200,
  edges: 2_000,
  nodesOfPassage: 10,
};
/** The share of its score that a node passes on to its neighbours. */
const passedShare = 0.5;
/** The factor for relations and properties that the question names. */
const askedFactor = 2;
/** The factors for compound identifiers of the question and for their parts, which many nodes may share. */
const codeFactors = { whole: 2, part: 0.5 };
/** The factor for nodes whose name is in the question as a whole. Then nodes with the same words are left out by `nearBest`. */
const namedFactor = 1.5;
/** Characters of a name, with a space at both ends. */
const minNameLength = 5;
/** Nodes that contain much less of the question than the best one are left out. */
const nearBest = 0.7;

/**
 * The passages behind the facts nearest to a question: finds nodes whose values contain its words, rare words first, and continues from
 * them along relations, so that a passage can be found that shares no word with the question. Reads only what the view
 * shows.
 */
export async function searchPassages(
  view: GraphView,
  query: string,
  limit: number,
): Promise<{ passages: NearPassage[]; isCut: boolean }> {
  const words = [...new Set(selectSignificantWords(listWords(query)))].slice(0, limits.words);
  const scores = selectSeeds(await preferNamed(view, await seedScores(view, weighWords(query, words)), query));
  const { edges, isCut } = await spreadScores(view, scores, words);
  const nodes = await view.nodes([...scores.keys()]);
  // A question for the year of birth is about nodes that have one.
  for (const { node, keys } of keepOnePerNode(nodes)) {
    const properties = keys.filter((key) => key.endsWith('='));
    const isAsked = properties.some((key) => areRelated(key, words));
    if (isAsked) scores.set(node, (scores.get(node) ?? 0) * askedFactor);
  }
  return { passages: rankPassages(scores, nodes, edges).slice(0, limit), isCut };
}

/** The words of a question with a factor each, after its compound identifiers. */
function weighWords(query: string, words: readonly string[]): [string, number][] {
  // In capitals, `po 7` is found as PO 7 is.
  const codes = listCodes(query.toUpperCase()).slice(0, limits.codes);
  const parts = new Set(codes.flatMap((code) => code.split('-')));
  return [
    ...codes.map((code): [string, number] => [code, codeFactors.whole]),
    ...words.map((word): [string, number] => [word, parts.has(word) ? codeFactors.part : 1]),
  ];
}

/** Nodes that contain words of the question. A word that many nodes contain counts little, several words of one node count more. */
async function seedScores(
  view: GraphView,
  words: readonly (readonly [string, number])[],
): Promise<Map<string, number>> {
  const scores = new Map<string, number>();
  for (const [word, factor] of words) {
    const found = await view.find({ word }, { after: '', limit: limits.perWord });
    // If very many nodes contain a word, any selection of them would be arbitrary.
    if (found.length === limits.perWord) continue;
    const weight = factor / Math.log2(2 + found.length);
    for (const id of found) scores.set(id, (scores.get(id) ?? 0) + weight);
  }
  return new Map(sortByScore(scores).slice(0, limits.candidates));
}

/**
 * Prefers the nodes that the question names in full: of Amber Works, Amber Works 2 and Amber Foods, a question about Amber Works 2 names the
 * second. A name that is a part of a longer one in the question does not count.
 */
async function preferNamed(
  view: GraphView,
  scores: ReadonlyMap<string, number>,
  query: string,
): Promise<Map<string, number>> {
  const asked = ` ${listWords(query).join(' ')} `;
  const names = new Map<string, string[]>();
  for (const { node, attributes } of await view.nodes([...scores.keys()]))
    for (const value of listTextValues(attributes)) {
      const name = ` ${listWords(value).join(' ')} `;
      if (name.length >= minNameLength && asked.includes(name)) names.set(node, [...(names.get(node) ?? []), name]);
    }
  const all = [...new Set([...names.values()].flat())];
  const isWhole = (name: string) => !all.some((other) => other !== name && other.includes(name));
  const isNamed = (node: string) => names.get(node)?.some(isWhole) ?? false;
  return new Map([...scores].map(([node, score]) => [node, isNamed(node) ? score * namedFactor : score]));
}

/** The best nodes, apart from those that contain much less of the question than the first. */
function selectSeeds(scores: ReadonlyMap<string, number>): Map<string, number> {
  const best = sortByScore(scores);
  const least = (best[0]?.[1] ?? 0) * nearBest;
  return new Map(best.slice(0, limits.seeds).filter(([, score]) => score >= least));
}

const sortByScore = (scores: ReadonlyMap<string, number>) =>
  [...scores].sort(([left, score], [right, other]) => other - score || compareCodePoints(left, right));

const keepOnePerNode = (nodes: readonly NodeFact[]) => new Map(nodes.map((fact) => [fact.node, fact])).values();

/** True if a label or property has a word that begins like a word of the question, as directed and director do. */
function areRelated(label: string, words: readonly string[]): boolean {
  return listWords(label.replace(/_/g, ' ')).some((own) =>
    words.some((word) => own === word || haveSameStem(own, word)),
  );
}

function haveSameStem(value: string, other: string): boolean {
  const length = Math.max(5, Math.min(value.length, other.length) - 2);
  return value.length >= length && value.slice(0, length) === other.slice(0, length);
}

/** Adds the neighbours of the nodes to the scores, hop by hop. Nodes with many relations receive and pass on less. */
async function spreadScores(
  view: GraphView,
  scores: Map<string, number>,
  words: readonly string[],
): Promise<{ edges: EdgeFact[]; isCut: boolean }> {
  const edges = new Map<string, EdgeFact>();
  let isCut = false;
  let frontier = new Map(scores);
  for (let hop = 0; hop < limits.hops && frontier.size > 0; hop += 1) {
    const edgeFacts: EdgeFact[] = [];
    for (const direction of ['out', 'in'] as const) {
      const read = await view.edges([...frontier.keys()], { direction, limit: limits.edges });
      isCut ||= read.isCut;
      edgeFacts.push(...read.facts);
    }
    for (const edge of edgeFacts) edges.set(`${edge.documentId} ${edge.source} ${edge.label} ${edge.target}`, edge);
    const asked = new Set(
      [...new Set(edgeFacts.map(({ label }) => label))].filter((label) => areRelated(label, words)),
    );
    frontier = passOn(frontier, edgeFacts, asked);
    for (const [id, score] of frontier) scores.set(id, (scores.get(id) ?? 0) + score);
  }
  return { edges: [...edges.values()], isCut };
}

function passOn(
  frontier: ReadonlyMap<string, number>,
  edges: readonly EdgeFact[],
  asked: ReadonlySet<string>,
): Map<string, number> {
  const neighbours = new Map<string, Map<string, number>>();
  for (const { source, target, label } of edges)
    for (const [near, far] of [
      [source, target],
      [target, source],
    ] as const) {
      if (!frontier.has(near)) continue;
      const own = neighbours.get(near) ?? new Map<string, number>();
      own.set(far, Math.max(own.get(far) ?? 0, asked.has(label) ? askedFactor : 1));
      neighbours.set(near, own);
    }
  const received = new Map<string, number>();
  for (const [near, far] of neighbours) {
    const share = ((frontier.get(near) ?? 0) * passedShare) / Math.sqrt(far.size);
    for (const [id, times] of far) received.set(id, (received.get(id) ?? 0) + share * times);
  }
  return new Map(sortByScore(received).slice(0, limits.perHop));
}

/** Scores each passage by the best fact that it supports, plus a little for every other one. */
function rankPassages(
  scores: ReadonlyMap<string, number>,
  nodes: readonly NodeFact[],
  edges: readonly EdgeFact[],
): NearPassage[] {
  const found = new Map<string, NearPassage & { facts: Map<string, number> }>();
  const add = (documentId: string, passages: readonly FactPassage[], about: readonly [string, number][]) => {
    for (const passage of passages) {
      const key = `${documentId}\u0000${passage.chunk}\u0000${passage.text}`;
      const known = found.get(key) ?? { ...passage, documentId, score: 0, nodes: [], facts: new Map<string, number>() };
      for (const [id, score] of about) known.facts.set(id, Math.max(known.facts.get(id) ?? 0, score));
      found.set(key, known);
    }
  };
  for (const { node, documentId, passages } of nodes) add(documentId, passages, [[node, scores.get(node) ?? 0]]);
  for (const { source, target, documentId, passages } of edges)
    add(documentId, passages, [
      [source, scores.get(source) ?? 0],
      [target, scores.get(target) ?? 0],
    ]);
  return [...found.values()]
    .map(({ facts, ...passage }) => {
      const about = [...facts].sort(([left, score], [right, other]) => other - score || compareCodePoints(left, right));
      const score = about.reduce((sum, [, factScore], at) => sum + factScore / (at + 1), 0);
      const nodeIds = about.slice(0, limits.nodesOfPassage).map(([id]) => id);
      return { ...passage, score: Math.round(score * 1e4) / 1e4, nodes: nodeIds };
    })
    .sort(
      (item, other) =>
        other.score - item.score || compareCodePoints(item.documentId, other.documentId) || item.chunk - other.chunk,
    );
}
