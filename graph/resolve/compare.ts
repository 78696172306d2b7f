import type { EdgeFact, NodeFact } from '../../model/graph/facts';
import { type PairReason, type PairState, pairThresholds } from '../../model/graph/pairs';
import { jsonText, parseJsonText } from '../core/json-text';
import { type Attributes, type GraphValue, isRecord, TypedValue } from '../core/value';
import type { TemplateClass } from '../template/model';
import { compareNames } from './compare-names';
import { type EntityKind, findEntityKind, isAliasField, isStrongKey } from './entity-kind';
import { listExactWords } from './name-words';

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
  profile.names = [...names].slice(0, 20);
  for (const { source, target, label, documentId } of edges) {
    if (source !== id && target !== id) continue;
    const [way, end] = source === id ? ['out', target] : ['in', source];
    const relation = `${way} ${label} ${end}`;
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
  return [...(parts.length > 0 ? [parts.join(' ')] : []), ...aliases].map((name) => name.slice(0, 300));
}

/** Scalar values as text; items of lists each. */
export function listScalars(value: GraphValue): string[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => listScalars(item)).slice(0, 20);
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
  let best: [number, PairReason] = [0, { code: 'other_name' }];
  for (const left of profile.names)
    for (const right of other.names) {
      const [score, code] = compareNames(profile.kind, left, right);
      if (score > best[0]) best = [score, { code }];
    }
  const reasons = [best[1]];
  let [score] = best;
  let [potential] = best;
  const keys = compareValues(profile.keys, other.keys);
  score = applyKeys(score, keys);
  potential = applyKeys(potential, { equal: keys.equal, different: [] });
  reasons.push(...keys.equal.map((property): PairReason => ({ code: 'same_key', property })));
  reasons.push(...keys.different.map((property): PairReason => ({ code: 'other_key', property })));
  const values = compareValues(profile.values, other.values);
  potential += Math.min(0.12, 0.06 * values.equal.length);
  score += Math.min(0.12, 0.06 * values.equal.length) - Math.min(0.25, 0.12 * values.different.length);
  reasons.push(...values.equal.map((property): PairReason => ({ code: 'same_value', property })));
  reasons.push(...values.different.map((property): PairReason => ({ code: 'other_value', property })));
  const together = computeOverlap(profile.statedRelations, other.statedRelations);
  const shared = computeOverlap(profile.relations, other.relations);
  if (best[0] > 0.3) potential += computeNeighbourBonus(shared);
  if (profile.neighbours.has(other.id)) {
    score -= 0.35;
    reasons.push({ code: 'related_to_each_other' });
  } else if (together > 0) {
    // A document that names both in one list names two things.
    score -= 0.35;
    reasons.push({ code: 'named_together' });
  } else if (shared > 0 && best[0] > 0.3) {
    score += computeNeighbourBonus(shared);
    reasons.push({ code: 'same_neighbour' });
  }
  const highest = best[1].code === 'look_alike_letters' ? maxDoubtful : 1;
  return { score: toShare(Math.min(score, highest)), reasons, potential: toShare(Math.min(potential, highest)) };
}

/** Whatever else is equal: whoever imitates a name can also copy the values beside it. */
const maxDoubtful = pairThresholds.certain - 0.01;

function computeNeighbourBonus(shared: number): number {
  if (shared === 0) return 0;
  return shared > 1 ? 0.1 : 0.06;
}

const toShare = (score: number) => Math.round(Math.min(1, Math.max(0, score)) * 100) / 100;

function applyKeys(score: number, { equal, different }: Agreement): number {
  if (equal.length > 0 && different.length === 0) return score >= 0.3 ? Math.max(0.96, score) : 0.7;
  if (different.length === 0) return score;
  if (equal.length > 0) return Math.min(score, 0.7);
  return score >= 0.9 ? 0.55 : score * 0.4;
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
