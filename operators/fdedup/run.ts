import { getAccessKey } from '../../model/access-list';
import type { Row, RowSkip } from '../../model/flow/row';
import type { OperatorContext, OperatorResult } from '../operator';
import { runInSteps } from '../rows/steps';
import type { FdedupConfig } from './schema';
import { createSimilarTexts, type SimilarTexts } from './similar';

type Context = OperatorContext<never>;

/** Same as `runParts`, for one part. */
export async function run(rows: readonly Row[], config: FdedupConfig, context: Context): Promise<OperatorResult> {
  return compare(rows, config, context, buildMemory(config));
}

/** Compares each row with those kept so far, in the order of the sources. Holds hashes of the texts, never the texts. */
export async function* runParts(
  parts: AsyncIterable<readonly Row[]>,
  config: FdedupConfig,
  context: Context,
): AsyncGenerator<OperatorResult> {
  const memory = buildMemory(config);
  for await (const rows of parts) yield await compare(rows, config, { ...context, progress: () => undefined }, memory);
}

interface Memory {
  texts: SimilarTexts;
  /** Id and name of each text, by its number. */
  known: Pick<Row, 'id' | 'name'>[];
}

function buildMemory({ threshold = 0.8, shingle_words = 5, num_permutations = 128 }: FdedupConfig): Memory {
  const texts = createSimilarTexts({ threshold, places: num_permutations, shingleWords: shingle_words });
  return { texts, known: [] };
}

/** Rows are compared within groups of equal readers: a mark would otherwise reveal a text that its reader may not read. */
async function compare(
  rows: readonly Row[],
  { action = 'remove', across_access_lists: isAcrossLists = false, doc_column: column = 'content' }: FdedupConfig,
  context: Context,
  { texts, known }: Memory,
): Promise<OperatorResult> {
  const keptRows: Row[] = [];
  const skipped: RowSkip[] = [];
  let duplicates = 0;
  await runInSteps(rows, context, (row) => {
    const text = row[column];
    const group = isAcrossLists && action === 'remove' ? '' : getAccessKey(row);
    const similar = typeof text === 'string' ? texts.add(text, group, action === 'mark') : undefined;
    if (typeof text === 'string') known.push({ id: row.id, name: row.name });
    if (similar) duplicates += 1;
    const first = similar && known[similar.index];
    if (action === 'mark') {
      const similarity = similar ? Math.round(similar.similarity * 1e4) / 1e4 : null;
      keptRows.push({ ...row, near_duplicate_of: first?.id ?? null, near_duplicate_similarity: similarity });
    } else if (similar && first) {
      const reason = `Its text is nearly that of '${first.name}' (${similar.similarity.toFixed(2)})`;
      skipped.push({ id: row.id, name: row.name, reason });
    } else keptRows.push(row);
  });
  return { rows: keptRows, skipped, metrics: { near_duplicates: duplicates } };
}
