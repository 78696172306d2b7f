import type { EntityPair } from '../../model/graph/pairs';
import type { ComparedPair } from './candidates';
import { decideByRules } from './compare';

/** A pair as the rules propose it; without a state if no part of the documents suggests that both nodes mean the same thing. */
export type ProposedPair = Pick<EntityPair, 'one' | 'other' | 'label' | 'score' | 'potential'> & {
  state?: EntityPair['state'];
};

/**
 * Applies the rules to a compared pair. If the documents as a whole rule the pair out but some of them alone suggest it, the pair
 * is kept as `unlikely`, because a reader may be allowed to read only those.
 */
export function proposePair({ one, other, label, comparison }: ComparedPair): ProposedPair {
  const { score, potential } = comparison;
  const pair = { one, other, label, score, potential };
  const state = decideByRules(comparison) ?? (decideByRules({ score: potential }) ? 'unlikely' : undefined);
  return state === undefined ? pair : { ...pair, state };
}
