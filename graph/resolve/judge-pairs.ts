import type { GraphView, NodeFact } from '../../model/graph/facts';
import type { EntityPair, PairState } from '../../model/graph/pairs';
import { groupByKeys } from '../corpus/group';
import type { GraphTemplate } from '../template/model';
import { readEdgesByNode } from './candidates';
import { compareEntities, type Comparison, decideByRules, type EntityProfile, createEntityProfile } from './compare';

/** A pair for one reader: the state that decisions and documents give which count for this reader. */
export interface JudgedPair {
  pair: EntityPair;
  state: PairState;
  by: EntityPair['by'];
  score: number;
  reasons: Comparison['reasons'];
}

/** Judges pairs for the reader of a view. Pairs that are not candidates for this reader are missing from the result. */
export type PairJudge = (pairs: readonly EntityPair[]) => Promise<JudgedPair[]>;

export interface JudgeContext {
  /** The facts that the reader may see, each node by its own id. */
  view: GraphView;
  template: GraphTemplate;
  /** True if the reader may read all documents that a decision of the model is based on. */
  mayReadBasis: (pair: EntityPair) => Promise<boolean>;
}

/**
 * Decides pairs by what one reader may know, so that documents which the reader may not read change nothing. Decisions of persons
 * count for all readers. A decision of the model counts if the reader may read all documents that the model was shown. Otherwise
 * the rules decide again, by the readable facts.
 */
export function createPairJudge({ view, template, mayReadBasis }: JudgeContext): PairJudge {
  const judged = new Map<string, JudgedPair | undefined>();
  return async (pairs) => {
    const fresh = pairs.filter((pair) => !judged.has(buildKey(pair)));
    const profiles = await readProfiles(view, template, fresh);
    for (const pair of fresh) {
      const [left, right] = [profiles.get(pair.one), profiles.get(pair.other)];
      const counts = pair.by === 'person' || (pair.by === 'model' && (await mayReadBasis(pair)));
      judged.set(buildKey(pair), left && right ? judgePair(pair, compareEntities(left, right), counts) : undefined);
    }
    return pairs.flatMap((pair) => judged.get(buildKey(pair)) ?? []);
  };
}

const buildKey = ({ one, other }: EntityPair) => `${one} ${other}`;

function judgePair(pair: EntityPair, comparison: Comparison, counts: boolean): JudgedPair | undefined {
  const { score, reasons } = comparison;
  if (counts && pair.state !== 'unlikely') return { pair, state: pair.state, by: pair.by, score, reasons };
  const state = decideByRules(comparison);
  return state && { pair, state, by: 'rules', score, reasons };
}

/** The profiles of the nodes of pairs that the reader may see. */
async function readProfiles(
  view: GraphView,
  template: GraphTemplate,
  pairs: readonly EntityPair[],
): Promise<Map<string, EntityProfile>> {
  const ids = [...new Set(pairs.flatMap(({ one, other }) => [one, other]))];
  if (ids.length === 0) return new Map();
  const facts = groupByKeys(await view.nodes(ids), ({ node }) => [node]);
  const edges = await readEdgesByNode(view, [...facts.keys()]);
  const listProfiles = (id: string, nodeFacts: readonly NodeFact[]): [string, EntityProfile][] => {
    const entity = template.classes.get(nodeFacts[0]?.label ?? '');
    return entity ? [[id, createEntityProfile(id, entity, nodeFacts, edges.get(id) ?? [])]] : [];
  };
  return new Map([...facts].flatMap(([id, nodeFacts]) => listProfiles(id, nodeFacts)));
}

/** The pairs of a store as decisions that count for one reader: those that are open for this reader are left out. */
export function listJudgedPairs(
  judge: PairJudge,
  pairsOf: (ids: readonly string[]) => Promise<readonly EntityPair[]>,
): (ids: readonly string[]) => Promise<EntityPair[]> {
  return async (ids) =>
    (await judge(await pairsOf(ids))).flatMap(({ pair, state, by, score }) =>
      state === 'open' ? [] : [{ ...pair, state, by, score }],
    );
}
