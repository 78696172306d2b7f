import type { Row } from '../../model/flow/row';
import type { OperatorContext, OperatorResult } from '../operator';
import { buildMask, maskRow, replacePassages } from '../rows/mask';
import { runInSteps } from '../rows/steps';
import { findPii, type PiiMatch, type PiiSearch } from './find';
import { type PiiKind, piiKinds } from './kinds';
import type { PiiConfig } from './schema';

/** Counts the passages of each row by kind and masks them, unless the configuration only detects. */
export async function run(
  rows: readonly Row[],
  config: PiiConfig,
  context: OperatorContext<never>,
): Promise<OperatorResult> {
  const { doc_column: column = 'content', action = 'mask', with_positions: withPositions = false } = config;
  const search: PiiSearch = {
    kinds: config.kinds ?? (Object.keys(piiKinds) as PiiKind[]),
    ...(config.phone_region === undefined ? {} : { phoneRegion: config.phone_region }),
  };
  let passageCount = 0;
  let rowCount = 0;
  const done = await runInSteps(rows, context, (row): Row => {
    const text = row[column];
    const matches = typeof text === 'string' ? findPii(text, search) : [];
    passageCount += matches.length;
    if (matches.length > 0) rowCount += 1;
    const hiddenRow = action === 'detect' ? { ...row } : maskRow(row, column, (value) => hide(value, search, config));
    return { ...hiddenRow, ...buildCounts(matches), ...(withPositions ? { pii_positions: matches } : {}) };
  });
  return { rows: done, metrics: { pii_passages: passageCount, rows_with_pii: rowCount } };
}

function hide(text: string, search: PiiSearch, { action, masking_character: character = '*' }: PiiConfig): string {
  return replacePassages(
    text,
    findPii(text, search).map(({ kind, start, end }) => ({
      start,
      end,
      by: action === 'replace' ? `[${kind.toUpperCase()}]` : buildMask(text.slice(start, end), character),
    })),
  );
}

function buildCounts(matches: readonly PiiMatch[]) {
  const counts: Record<string, number> = {};
  for (const { kind } of matches) counts[kind] = (counts[kind] ?? 0) + 1;
  return { pii_kinds: Object.keys(counts).toSorted(), pii_total: matches.length, pii_counts: counts };
}
