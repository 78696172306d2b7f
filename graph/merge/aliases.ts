import { type AliasGroup, listAliasCandidates, mergeAliases } from '../build/aliases';
import { compareCodePoints } from '../core/json-text';
import type { KnowledgeGraph, NodeKey } from '../core/knowledge-graph';
import { type GraphValue, isRecord } from '../core/value';
import { writePythonText } from '../peer/python-text';
import { listConflictingFields } from './fold';
import type { Merging } from './merging';
import type { AliasStub } from './report';

/** Lists pairs that may be the same entity, and merges the confirmed ones. */
export function decideAliases(
  graph: KnowledgeGraph,
  merging: Merging,
  decisions: readonly GraphValue[] | undefined,
): void {
  const { idFields, report } = merging;
  if (![...idFields.values()].some((fields) => fields.length > 0)) {
    report.warnings.push(
      'Alias reconciliation skipped: no id-fields source available (pass --template, or merge format-v2 exports)',
    );
    return;
  }
  const groups = listAliasCandidates(graph, idFields);
  report.alias_candidates = groups.map((group) => buildStub(graph, merging, group));
  const confirmed = listPairs(graph, merging, { groups, decisions: decisions ?? [] });
  const before = new Set(graph.nodes.keys());
  report.alias_stats = { ...mergeAliases(graph, groups, confirmed) };
  for (const { name, keep, merge } of confirmed) {
    const isApplied = [keep, merge].some((key) => before.has(key) && !graph.nodes.has(key));
    if (!isApplied)
      report.ignored_alias_decisions.push({
        class: name,
        keep_id: keep,
        merge_ids: [merge],
        reason: 'vetoed by reconciliation guards (e.g. sibling co-occurrence)',
      });
  }
}

function buildStub(graph: KnowledgeGraph, { idFields, policy }: Merging, group: AliasGroup): AliasStub {
  const identity = new Set(idFields.get(group.class));
  const node = graph.nodes.get(group.keep) ?? {};
  const conflicts = group.merge.flatMap((key) => listConflictingFields(node, graph.nodes.get(key) ?? {}, policy));
  return {
    class: group.class,
    keep_id: group.keep,
    keep_display: group.keepDisplay,
    merge_ids: group.merge,
    merge_displays: group.mergeDisplays,
    similarity: computeSimilarity(group.keepDisplay, group.mergeDisplays),
    field_conflicts: [...new Set(conflicts)].filter((field) => !identity.has(field)).sort(compareCodePoints),
    confirm: false,
  };
}

interface Confirmed {
  name: string;
  keep: NodeKey;
  merge: NodeKey;
}

function listPairs(
  graph: KnowledgeGraph,
  { report, idFields }: Merging,
  { groups, decisions }: { groups: readonly AliasGroup[]; decisions: readonly GraphValue[] },
): Confirmed[] {
  const buildPairKey = (name: string, key: NodeKey, other: NodeKey) =>
    JSON.stringify([name, ...[String(key), String(other)].sort(compareCodePoints)]);
  const proposed = new Set(
    groups.flatMap((group) => group.merge.map((key) => buildPairKey(group.class, group.keep, key))),
  );
  const isKnown = (name: string, id: string) => {
    const attributes = graph.nodes.get(id);
    return attributes?.['__class__'] === name && (idFields.get(name)?.length ?? 0) > 0;
  };
  const confirmed: Confirmed[] = [];
  for (const decision of decisions) {
    if (!isRecord(decision) || !decision['confirm']) continue;
    const getText = (value: GraphValue | undefined) => (value ? writePythonText(value) : '');
    const [name, keep] = [getText(decision['class']), getText(decision['keep_id'])];
    const merges = Array.isArray(decision['merge_ids']) ? decision['merge_ids'].map(writePythonText) : [];
    const ignore = (merge_ids: string[], reason: string) =>
      report.ignored_alias_decisions.push({ class: name, keep_id: keep, merge_ids, reason });
    if (!isKnown(name, keep)) {
      ignore(merges, 'keep_id not present in the merged graph');
      continue;
    }
    for (const merge of merges) {
      if (!isKnown(name, merge)) ignore([merge], 'merge id not present in the merged graph');
      else if (!proposed.has(buildPairKey(name, keep, merge))) ignore([merge], 'pair was not proposed in this run');
      else confirmed.push({ name, keep, merge });
    }
  }
  return confirmed;
}

/** Similarity of two names, from 0 to 1 with four decimals: longest common subsequence of their sorted words. */
function computeSimilarity(keep: string, merges: readonly string[]): number | null {
  if (keep === '' || merges.length === 0) return null;
  const best = Math.max(...merges.map((merge) => computeRatio(sortWords(keep), sortWords(merge))));
  return Number(best.toFixed(4));
}

const sortWords = (text: string) =>
  Array.from(
    text
      .split(/\s+/)
      .filter((word) => word !== '')
      .sort(compareCodePoints)
      .join(' '),
  );

function computeRatio(left: readonly string[], right: readonly string[]): number {
  const total = left.length + right.length;
  return total === 0 ? 1 : (2 * computeLongestCommonLength(left, right)) / total;
}

const maxCompared = 1_000;

// Names are short; only the beginning of longer ones counts.
function computeLongestCommonLength(words: readonly string[], other: readonly string[]): number {
  const [left, right] = [words.slice(0, maxCompared), other.slice(0, maxCompared)];
  let row = new Array<number>(right.length + 1).fill(0);
  for (const char of left) {
    const next = [0];
    for (const [index, letter] of right.entries())
      next.push(char === letter ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}
