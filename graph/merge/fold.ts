import { metaAttributes } from '../core/clean';
import { foldCase, whiteSpace } from '../core/identity';
import { compareCodePoints } from '../core/json-text';
import type { NodeKey } from '../core/knowledge-graph';
import { type Attributes, type GraphValue, isEmpty, isRecord, setMember, TypedValue } from '../core/value';
import { writePythonJson, writePythonText } from '../peer/python-text';
import type { MergePolicy } from './policy';

/** Two values of one attribute of a node; the second was not used. */
export interface FieldConflict {
  node: string;
  field: string;
  kept: GraphValue;
  dropped: GraphValue;
  dropped_source: string;
}

/** Two relations of an ordered pair in a simple graph. */
export interface EdgeConflict {
  source: NodeKey;
  kept_label: string;
  dropped_labels: string[];
  target: NodeKey;
  dropped_source: string;
}

/** Settings for merging attributes. */
export interface Folding {
  policy: MergePolicy;
  /** The source of the second values. */
  source: string;
}

/**
 * Merges attributes of a second node into the first, which it modifies: fills empty ones, keeps equal ones, joins texts of
 * combined fields, combines lists. Contradicting values are left out and returned.
 */
export function foldAttributes(target: Attributes, incoming: Attributes, { policy, source }: Folding): FieldConflict[] {
  const conflicts: FieldConflict[] = [];
  for (const [field, value] of Object.entries(incoming)) {
    if (metaAttributes.has(field) || isEmpty(value)) continue;
    const current = target[field] ?? null;
    const folded = foldValue(field, current, value, policy);
    if (folded !== undefined) {
      setMember(target, field, folded);
      continue;
    }
    conflicts.push({ node: writeId(target), field, kept: current, dropped: value, dropped_source: source });
    if (policy.conflicts === 'keep-all') recordConflict(target, { field, value, source });
  }
  return conflicts;
}

const writeId = ({ id }: Attributes) => (id === undefined || id === null || id === '' ? '' : writePythonText(id));

/** The fields whose values contradict, sorted. */
export function listConflictingFields(target: Attributes, incoming: Attributes, policy: MergePolicy): string[] {
  return Object.entries(incoming)
    .filter(([field, value]) => !metaAttributes.has(field) && !isEmpty(value))
    .filter(([field, value]) => foldValue(field, target[field] ?? null, value, policy) === undefined)
    .map(([field]) => field)
    .sort(compareCodePoints);
}

// Undefined when the two values contradict.
function foldValue(field: string, current: GraphValue, value: GraphValue, policy: MergePolicy): GraphValue | undefined {
  if (isEmpty(current)) return value;
  if (areEquivalent(current, value)) return current;
  const areTexts = typeof current === 'string' && typeof value === 'string';
  if (areTexts && policy.combine_fields.includes(field))
    return joinTexts(current, value, policy.description_max_length);
  if (Array.isArray(current) && Array.isArray(value)) return uniteLists(current, value);
  return undefined;
}

function recordConflict(target: Attributes, record: Attributes): void {
  const conflicts = Array.isArray(target['__conflicts__']) ? target['__conflicts__'] : [];
  if (!conflicts.some((conflict) => areEqual(conflict, record))) target['__conflicts__'] = [...conflicts, record];
}

function uniteLists(current: readonly GraphValue[], value: readonly GraphValue[]): GraphValue[] {
  const united = [...current];
  if ([current, value].every((list) => list.length > 0 && list.every(isRecord))) {
    const texts = new Set(current.map((item) => writePythonJson(item, { isSorted: true })));
    for (const item of value) {
      const text = writePythonJson(item, { isSorted: true });
      if (!texts.has(text)) united.push(item);
      texts.add(text);
    }
    return united;
  }
  for (const item of value) if (!united.some((existing) => areEqual(existing, item))) united.push(item);
  return united;
}

/** Equal, or texts that differ only in letter case, white space and Unicode form. */
export function areEquivalent(left: GraphValue, right: GraphValue): boolean {
  if (areEqual(left, right)) return true;
  return typeof left === 'string' && typeof right === 'string' && toPlainText(left) === toPlainText(right);
}

const spaces = new RegExp(`[${whiteSpace}]+`, 'gu');
const toPlainText = (text: string) => foldCase(text.normalize('NFKC')).replace(spaces, '');

/** Equal as in Python: 1, 1.0 and true are equal. */
export function areEqual(left: GraphValue, right: GraphValue): boolean {
  const [leftNumber, other] = [findNumber(left), findNumber(right)];
  if (leftNumber !== undefined || other !== undefined) return leftNumber === other;
  if (Array.isArray(left) || Array.isArray(right)) {
    const areLists = Array.isArray(left) && Array.isArray(right) && left.length === right.length;
    return areLists && left.every((item, index) => areEqual(item, right[index] ?? null));
  }
  if (isRecord(left) && isRecord(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && areEqual(left[key] ?? null, right[key] ?? null))
    );
  }
  if (left instanceof TypedValue && right instanceof TypedValue)
    return left.kind === right.kind && left.text === right.text;
  return left === right;
}

function findNumber(value: GraphValue): number | bigint | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return value;
  return value instanceof TypedValue && value.kind === 'float' ? Number(value.text) : undefined;
}

/** Appends sentences of the second text that the first lacks. Cut after a sentence if longer than `maxLength`. */
export function joinTexts(existing: string, incoming: string, maxLength: number): string {
  const [knownText, addedText] = [existing.trim(), incoming.trim()];
  if (knownText === '' || addedText === '') return cutText(knownText || addedText, maxLength);
  if (knownText.includes(addedText)) return cutText(knownText, maxLength);
  const added = addedText
    .split(/(?<=[.!?])\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '' && !knownText.includes(sentence));
  return cutText([knownText, ...added].join(' '), maxLength);
}

function cutText(text: string, maxLength: number): string {
  const points = Array.from(text);
  if (points.length <= maxLength) return text;
  const head = points.slice(0, Math.max(0, maxLength));
  const end = head.findLastIndex((char) => '.!?'.includes(char));
  return head.slice(0, end < 0 ? head.length : end + 1).join('');
}

/** Merges an edge with the same ends into the first. Other labels go to `also_labels` and are returned as a conflict. */
export function foldEdge(
  ends: { source: NodeKey; target: NodeKey },
  target: Attributes,
  incoming: Attributes,
  dropped_source: string,
): EdgeConflict | undefined {
  const [keptLabel, label] = [writeLabel(target), writeLabel(incoming)];
  const carried = Array.isArray(incoming['also_labels']) ? incoming['also_labels'].map(writePythonText) : [];
  if (label === keptLabel) {
    fillEdge(target, incoming);
    addLabels(target, carried, keptLabel);
    return undefined;
  }
  addLabels(target, [label, ...carried], keptLabel);
  return { source: ends.source, kept_label: keptLabel, dropped_labels: [label], target: ends.target, dropped_source };
}

const writeLabel = ({ label }: Attributes) => (label ? writePythonText(label) : '');

function fillEdge(target: Attributes, incoming: Attributes): void {
  for (const [key, value] of Object.entries(incoming)) {
    if (key === 'label' || key === 'also_labels' || isEmpty(value)) continue;
    const current = target[key] ?? null;
    if (isEmpty(current)) setMember(target, key, value);
    else if (Array.isArray(current) && Array.isArray(value)) {
      const more = value.filter((item) => !current.some((existing) => areEqual(existing, item)));
      setMember(target, key, [...current, ...more]);
    }
  }
}

function addLabels(target: Attributes, labels: readonly string[], keptLabel: string): void {
  const extra = labels.filter((label) => label !== '' && label !== keptLabel);
  if (extra.length === 0) return;
  const knownLabels = Array.isArray(target['also_labels']) ? target['also_labels'] : [];
  target['also_labels'] = [...knownLabels, ...new Set(extra.filter((label) => !knownLabels.includes(label)))];
}
