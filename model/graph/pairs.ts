/** The decision about a pair of nodes: open, same or different. */
export const pairStates = ['open', 'same', 'different'] as const;
export type PairState = (typeof pairStates)[number];

/** Who decided: the rules, the model of the graph, or a person, whose decision the others never change. */
export const pairDeciders = ['rules', 'model', 'person'] as const;
export type PairDecider = (typeof pairDeciders)[number];

/** Two nodes of one class that may mean the same thing. It holds no text of documents. */
export interface EntityPair {
  /** The smaller of both ids. */
  one: string;
  other: string;
  label: string;
  /** `unlikely` pairs are not candidates for readers of all documents, but may be for readers of some. */
  state: PairState | 'unlikely';
  by: PairDecider;
  /** How certain the rules were, from 0 to 1. */
  score: number;
  /** The highest score that a part of the documents could give. */
  potential?: number;
  /** The documents that the model was shown when it decided. */
  basis?: string[];
  decidedAt: string;
}

/** The score from which the rules treat two nodes as one thing, and the score below which a pair is not a candidate. */
export const pairThresholds = { certain: 0.9, possible: 0.5 } as const;

/** How a graph of a corpus decides which nodes mean the same thing. */
export const resolutionModes = ['off', 'rules', 'model'] as const;
export type ResolutionMode = (typeof resolutionModes)[number];

/** A reason of the rules to treat two nodes as one thing, or as two. */
export const pairReasons = [
  'same_name',
  'same_words',
  'initials',
  'nickname',
  'acronym',
  'abbreviation',
  'part_of_name',
  'similar_spelling',
  'look_alike_letters',
  'same_number',
  'other_numbers',
  'other_legal_form',
  'other_name',
  'same_key',
  'other_key',
  'same_value',
  'other_value',
  'same_neighbour',
  'named_together',
  'related_to_each_other',
] as const;
export type PairReasonCode = (typeof pairReasons)[number];

/** One reason, and the property that it is about. */
export interface PairReason {
  code: PairReasonCode;
  property?: string;
}

/** The pair in the order in which it is stored. */
export function orderPair(value: string, other: string): [string, string] {
  return value < other ? [value, other] : [other, value];
}
