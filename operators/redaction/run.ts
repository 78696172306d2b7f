import { setImmediate } from 'node:timers/promises';
import { RE2JS } from 're2js';
import type { Row, RowFailure } from '../../model/flow/row';
import { createTimeLimit } from '../../model/time/time-limit';
import type { OperatorContext, OperatorResult } from '../operator';
import { buildMask, type MaskedPassage, replacePassages } from '../rows/mask';
import { listPatterns, type RedactionConfig } from './schema';

type Range = Pick<MaskedPassage, 'start' | 'end'>;

/** Characters to search before yielding to other work: a few milliseconds. */
const charactersPerStep = 300_000;

/**
 * Masks every match of every pattern, character by character, in the text and in values derived from it (`headings`, the title).
 * A masked row no longer references the full document, which contains the unmasked text.
 */
export async function run(
  rows: readonly Row[],
  config: RedactionConfig,
  context: OperatorContext<never>,
): Promise<OperatorResult> {
  const { doc_column: column = 'content', stats_column: stats = 'redaction_stats' } = config;
  const search = createSearch(config, context);
  const masked: Row[] = [];
  const failed: RowFailure[] = [];
  let total = 0;
  for (const [index, row] of rows.entries()) {
    context.progress(index, rows.length);
    search.begin();
    try {
      const { text, count } = await search.mask(row[column]);
      total += count;
      masked.push({ ...row, ...(await redactDerived(row, column, search)), [column]: text, [stats]: count });
      if (count > 0 && column === 'content') delete masked.at(-1)?.document_ref;
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof TooSlowError)) throw error;
      failed.push({ id: row.id, name: row.name, code: 'OPERATOR_EXECUTION_FAILED', message: error.message });
    }
  }
  context.progress(rows.length, rows.length);
  return { rows: masked, failed, metrics: { total_redactions: total } };
}

class TooSlowError extends Error {}

/** Masks values that extract and chunker derived from the text, which would reveal the masked parts. */
async function redactDerived(row: Row, column: string, search: Search): Promise<Partial<Row>> {
  if (column !== 'content') return {};
  const changes: Partial<Row> = {};
  if (Array.isArray(row.headings))
    changes.headings = await Promise.all(
      row.headings.map(async (heading) => (await search.mask(heading)).text as string),
    );
  const title = row.metadata?.['title'];
  if (typeof title === 'string') changes.metadata = { ...row.metadata, title: (await search.mask(title)).text };
  return changes;
}

interface Search {
  /** Restarts the time limit for the next document. */
  begin(): void;
  /** Returns values other than strings unchanged. */
  mask(value: unknown): Promise<{ text: unknown; count: number }>;
}

/** RE2 reads each character a bounded number of times per match. The timeout stops texts with very many matches. */
function createSearch(config: RedactionConfig, { signal }: OperatorContext<never>): Search {
  const patterns = listPatterns(config.redaction_regex).map((pattern) => RE2JS.compile(pattern));
  const mask = config.redaction_masking_character ?? '*';
  const seconds = config.timeout ?? 60;
  let searched = 0;
  let limit: AbortSignal | undefined;
  const step = async (characters: number) => {
    searched += characters;
    if (searched < charactersPerStep) return;
    searched = 0;
    // Creates a timer only for texts that need more than one step.
    limit ??= createTimeLimit(Math.ceil(seconds * 1_000));
    await setImmediate();
    signal.throwIfAborted();
    if (limit.aborted) throw new TooSlowError(`The patterns took longer than ${seconds} seconds on this document.`);
  };
  return {
    begin() {
      limit = undefined;
    },
    async mask(value) {
      if (typeof value !== 'string' || value === '') return { text: value, count: 0 };
      const matchRanges: Range[] = [];
      for (const pattern of patterns) {
        const matcher = pattern.matcher(value);
        await step(value.length);
        for (let from = 0; matcher.find();) {
          const start = matcher.start();
          const end = matcher.end();
          if (end > start) matchRanges.push({ start, end });
          // In the worst case the search ran to the end of the text.
          const cost = value.length - from;
          from = end;
          if (searched + cost >= charactersPerStep) await step(cost);
          else searched += cost;
        }
      }
      const ranges = mergeRanges(matchRanges);
      const passages = ranges.map(({ start, end }) => ({ start, end, by: buildMask(value.slice(start, end), mask) }));
      return { text: replacePassages(value, passages), count: ranges.length };
    },
  };
}

/** Merges overlapping matches of several patterns. */
function mergeRanges(unsorted: Range[]): Range[] {
  const ranges: Range[] = [];
  for (const { start, end } of unsorted.toSorted((a, b) => a.start - b.start)) {
    const last = ranges.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else ranges.push({ start, end });
  }
  return ranges;
}
