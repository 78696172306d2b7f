import type { EdgeFact, NodeFact } from '../../model/graph/facts';
import { type PairReason, type PairReasonCode, type PairState, pairThresholds } from '../../model/graph/pairs';
import { jsonText, parseJsonText } from '../core/json-text';
import { type Attributes, type GraphValue, isRecord, TypedValue } from '../core/value';
import type { TemplateClass } from '../template/model';
import { compareNames } from './compare-names';
import { type EntityKind, findEntityKind, isAliasField, isStrongKey } from './entity-kind';
import { listExactWords } from './name-words';

const maxNames = 20;
const maxNameLength = 300;
const maxListItems = 20;

/** What equal and different facts add to the score of the names, and take from it. */
const weights = {
  equalValue: 0.06,
  maxEqualValues: 0.12,
  differentValue: 0.12,
  maxDifferentValues: 0.25,
  sharedNeighbour: 0.06,
  sharedNeighbours: 0.1,
  /** For nodes that a document relates to each other, or names in one list. */
  distinct: 0.35,
};
/** Names below this score have nothing in common: equal neighbours do not count then, and equal keys prove less. */
const minNameScore = 0.3;
/** Scores by key values, which belong to one thing only. */
const keyScores = {
  equal: 0.96,
  equalWithOtherName: 0.7,
  contradictory: 0.7,
  differentWithSameName: 0.55,
  different: 0.4,
};

/** The compared facts of a node: its properties in each document, and its relations. */
export interface EntityProfile {
  id: string;
  kind: EntityKind;
  names: string[];
  /** Values by property that belong to one thing only. */
  keys: Map<string, Set<string>>;
  /** Other values by property. */
  values: Map<string, Set<string>>;
  /** Direction, label and other end of each relation. */
  relations: Set<string>;
  /** As `relations`, with the document that states it. */
  statedRelations: Set<string>;
  /** Ids of the nodes at the other ends. */
  neighbours: Set<string>;
}

/** The profile of a node from facts about it and relations of it. */
export function createEntityProfile(
  id: string,
  templateClass: TemplateClass,
  facts: readonly NodeFact[],
  edges: readonly EdgeFact[],
): EntityProfile {
  const profile: EntityProfile = {
    id,
    kind: findEntityKind(templateClass),
    names: [],
    keys: new Map(),
    values: new Map(),
    relations: new Set(),
    statedRelations: new Set(),
    neighbours: new Set(),
  };
  const names = new Set<string>();
  for (const { attributes } of facts) {
    const parsed = parseJsonText(attributes);
    if (isRecord(parsed)) addValues(profile, templateClass, names, parsed);
  }
  profile.names = [...names].slice(0, maxNames);
  for (const { source, target, label, documentId } of edges) {
    if (source !== id && target !== id) continue;
    const [direction, end] = source === id ? ['out', target] : ['in', source];
    const relation = `${direction} ${label} ${end}`;
    profile.relations.add(relation);
    profile.statedRelations.add(`${documentId} ${relation}`);
    profile.neighbours.add(end);
  }
  return profile;
}

function addValues(
  profile: EntityProfile,
  templateClass: TemplateClass,
  names: Set<string>,
  attributes: Attributes,
): void {
  for (const name of findNames(templateClass, attributes)) names.add(name);
  const fields = listNameFields(templateClass);
  for (const [property, value] of Object.entries(attributes)) {
    if (fields.includes(property) || isAliasField(property) || property.startsWith('__')) continue;
    const target = isStrongKey(property) ? profile.keys : profile.values;
    for (const text of listScalars(value)) {
      const normalized = listExactWords(text).join(' ');
      if (normalized !== '') target.set(property, (target.get(property) ?? new Set<string>()).add(normalized));
    }
  }
}

/** The fields that name a node: its identifying fields, given names first; otherwise fields that are called name. */
function listNameFields({ idFields, fields }: TemplateClass): string[] {
  if (idFields.length > 0)
    return idFields.toSorted((left, right) => Number(isLastName(left)) - Number(isLastName(right)));
  return fields.map(({ name }) => name).filter((name) => /^(full_?)?name$|^title$|^label$/i.test(name));
}

const isLastName = (field: string) => /last|family|sur_?name/i.test(field);

/** The names of a node in one document. */
export function findNames(templateClass: TemplateClass, attributes: Attributes): string[] {
  const parts = listNameFields(templateClass).flatMap((field) => listScalars(attributes[field] ?? null)[0] ?? []);
  const aliases = Object.entries(attributes).flatMap(([name, value]) => (isAliasField(name) ? listScalars(value) : []));
  return [...(parts.length > 0 ? [parts.join(' ')] : []), ...aliases].map((name) => name.slice(0, maxNameLength));
}

/** Scalar values as text; items of lists each. */
export function listScalars(value: GraphValue): string[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => listScalars(item)).slice(0, maxListItems);
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && !(value instanceof TypedValue) ? [] : [jsonText(value).replace(/^"|"$/g, '')];
}

/** How certain it is that two nodes mean one thing, from 0 to 1, and why. */
export interface Comparison {
  score: number;
  reasons: PairReason[];
  /** The highest score that any part of the documents could give: evidence against the pair is ignored. */
  potential: number;
}

/** Compares two nodes of one class by their names, key values, other values and neighbours. */
export function compareEntities(profile: EntityProfile, other: EntityProfile): Comparison {
  const [nameScore, nameReason] = findBestNames(profile, other);
  const reasons: PairReason[] = [{ code: nameReason }];
  const keys = compareValues(profile.keys, other.keys);
  let score = applyKeys(nameScore, keys);
  let potential = applyKeys(nameScore, { equal: keys.equal, different: [] });
  reasons.push(...keys.equal.map((property): PairReason => ({ code: 'same_key', property })));
  reasons.push(...keys.different.map((property): PairReason => ({ code: 'other_key', property })));
  const values = compareValues(profile.values, other.values);
  const bonus = Math.min(weights.maxEqualValues, weights.equalValue * values.equal.length);
  potential += bonus;
  score += bonus - Math.min(weights.maxDifferentValues, weights.differentValue * values.different.length);
  reasons.push(...values.equal.map((property): PairReason => ({ code: 'same_value', property })));
  reasons.push(...values.different.map((property): PairReason => ({ code: 'other_value', property })));
  const together = computeOverlap(profile.statedRelations, other.statedRelations);
  const shared = computeOverlap(profile.relations, other.relations);
  if (nameScore > minNameScore) potential += computeNeighbourBonus(shared);
  if (profile.neighbours.has(other.id)) {
    score -= weights.distinct;
    reasons.push({ code: 'related_to_each_other' });
  } else if (together > 0) {
    // A document that names both in one list names two things.
    score -= weights.distinct;
    reasons.push({ code: 'named_together' });
  } else if (shared > 0 && nameScore > minNameScore) {
    score += computeNeighbourBonus(shared);
    reasons.push({ code: 'same_neighbour' });
  }
  const highest = nameReason === 'look_alike_letters' ? maxDoubtful : 1;
  return { score: toShare(Math.min(score, highest)), reasons, potential: toShare(Math.min(potential, highest)) };
}

function findBestNames(profile: EntityProfile, other: EntityProfile): [number, PairReasonCode] {
  let best: [number, PairReasonCode] = [0, 'other_name'];
  for (const left of profile.names)
    for (const right of other.names) {
      const comparison = compareNames(profile.kind, left, right);
      if (comparison[0] > best[0]) best = comparison;
    }
  return best;
}

/** The highest score of imitated names, whatever else is equal: an imitator can also copy the values beside the name. */
const maxDoubtful = pairThresholds.certain - 0.01;

function computeNeighbourBonus(shared: number): number {
  if (shared === 0) return 0;
  return shared > 1 ? weights.sharedNeighbours : weights.sharedNeighbour;
}

const toShare = (score: number) => Math.round(Math.min(1, Math.max(0, score)) * 100) / 100;

function applyKeys(score: number, { equal, different }: Agreement): number {
  if (equal.length === 0 && different.length === 0) return score;
  if (different.length === 0)
    return score >= minNameScore ? Math.max(keyScores.equal, score) : keyScores.equalWithOtherName;
  if (equal.length > 0) return Math.min(score, keyScores.contradictory);
  return score >= pairThresholds.certain ? keyScores.differentWithSameName : score * keyScores.different;
}

interface Agreement {
  equal: string[];
  different: string[];
}

function compareValues(left: ReadonlyMap<string, Set<string>>, right: ReadonlyMap<string, Set<string>>): Agreement {
  const agreement: Agreement = { equal: [], different: [] };
  for (const [property, values] of left) {
    const others = right.get(property);
    if (!others) continue;
    (computeOverlap(values, others) > 0 ? agreement.equal : agreement.different).push(property);
  }
  return agreement;
}

function computeOverlap(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let shared = 0;
  for (const value of left) if (right.has(value)) shared += 1;
  return shared;
}

/** The decision of the rules about a comparison; undefined if the nodes are not candidates. */
export function decideByRules({ score }: Pick<Comparison, 'score'>): PairState | undefined {
  if (score >= pairThresholds.certain) return 'same';
  return score >= pairThresholds.possible ? 'open' : undefined;
}
