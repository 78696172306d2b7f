import { AppError } from '../../model/errors';
import { getDocumentId, type Row, type RowFailure } from '../../model/flow/row';
import { addUsage, createEmptyUsage, getUsageMetrics } from '../../model/llm/model-host';
import type { OperatorContext, OperatorResult } from '../operator';
import { defaultColumn, type EmbeddingsConfig } from './schema';

type Context = OperatorContext<'embedder'>;

/**
 * Adds a vector of its `content` to each row, or null without text. If the model host rejects a text, only its document fails.
 */
export async function run(rows: readonly Row[], config: EmbeddingsConfig, context: Context): Promise<OperatorResult> {
  const column = config.embeddings_column ?? defaultColumn;
  const usage = createEmptyUsage();
  const failures = new Map<string, RowFailure>();
  const isBlank = ({ content }: Row) => typeof content !== 'string' || content.trim() === '';
  const rowsWithText = rows.filter((row) => !isBlank(row));
  const blankIds = new Set(rows.filter(isBlank).map(({ id }) => id));
  const embed = createRowEmbedder(config, context, failures, usage);
  const vectors = await embed(rowsWithText, blankIds.size);
  const embedded = rows.flatMap((row) => {
    if (failures.has(getDocumentId(row))) return [];
    const vector = blankIds.has(row.id) ? null : vectors.get(row.id);
    return vector === undefined ? [] : [{ ...row, [column]: vector }];
  });
  return {
    rows: embedded,
    failed: [...failures.values()],
    warnings: listWarnings(rows, blankIds),
    metrics: {
      total_embeddings: embedded.filter((row) => row[column] !== null).length,
      ...getUsageMetrics(usage),
    },
  };
}

function listWarnings(rows: readonly Row[], blankIds: ReadonlySet<string>): string[] {
  if (blankIds.size === 0) return [];
  const first = rows.find(({ id }) => blankIds.has(id));
  if (blankIds.size === 1) return [`'${first?.name}' has no text and gets no vector.`];
  return [`${blankIds.size} rows, '${first?.name}' among them, have no text and get no vector.`];
}

/**
 * Returns a function that computes vectors by row id, and reports its progress after the `before` rows that are done. Splits
 * rejected batches in half to find the rejected rows, and adds those to `failures`.
 */
function createRowEmbedder(
  config: EmbeddingsConfig,
  { services, signal, progress }: Context,
  failures: Map<string, RowFailure>,
  usage: ReturnType<typeof createEmptyUsage>,
): (rows: readonly Row[], before: number) => Promise<Map<string, number[]>> {
  return async function embed(rows: readonly Row[], before: number): Promise<Map<string, number[]>> {
    if (rows.length === 0) return new Map();
    try {
      const texts = rows.map((row) => (config.context ? addContext(row) : (row.content ?? '')));
      const vectors = await services.embedder.embed(texts, config, signal, {
        progress: (done) => progress(before + done),
        onUsage: (used) => addUsage(usage, used),
      });
      return new Map(rows.map((row, index) => [row.id, vectors[index] ?? []]));
    } catch (error) {
      const [only] = rows;
      if (!(error instanceof AppError) || error.code !== 'EMBEDDING_REFUSED' || !only) throw error;
      if (rows.length === 1) {
        const id = getDocumentId(only);
        const message = `${describePlace(only)}${error.message}`;
        if (!failures.has(id)) failures.set(id, { id, name: only.name, code: error.code, message });
        return new Map();
      }
      const middle = Math.ceil(rows.length / 2);
      const first = await embed(rows.slice(0, middle), before);
      const second = await embed(rows.slice(middle), before + middle);
      return new Map([...first, ...second]);
    }
  };
}

function describePlace(row: Row): string {
  return row.chunk_index === undefined ? '' : `Chunk ${row.chunk_index}: `;
}

/** The text with its context in front: the title of the document and the headings above it, unless the text begins with them. */
function addContext({ content, name, metadata, headings }: Row): string {
  const { title } = metadata ?? {};
  const above = Array.isArray(headings) ? headings.map(String) : [];
  const lines = [typeof title === 'string' ? title : name.replace(/\.[^.]+$/, ''), ...above];
  const text = content ?? '';
  const missing = [...new Set(lines)].filter((line) => line.trim() !== '' && !text.startsWith(line));
  return missing.length === 0 ? text : `${missing.join(' – ')}\n${text}`;
}
