import { AppError } from '../../model/errors';
import type { Row, RowFailure } from '../../model/row';
import type { OperatorContext, OperatorResult } from '../operator';
import { defaultColumn, type EmbeddingsConfig } from './schema';

type Context = OperatorContext<'embedder'>;

/** The rows with a vector of their `content` each. A text that the model host refuses fails its document alone. */
export async function run(rows: readonly Row[], config: EmbeddingsConfig, context: Context): Promise<OperatorResult> {
  const column = config.embeddings_column ?? defaultColumn;
  const failures = new Map<string, RowFailure>();
  const vectors = await embed(rows, config, context, failures, 0);
  const kept = rows.flatMap((row) => {
    const vector = vectors.get(row.id);
    return failures.has(documentOf(row)) || !vector ? [] : [{ ...row, [column]: vector }];
  });
  return { rows: kept, failed: [...failures.values()], metrics: { total_embeddings: kept.length } };
}

/** Vectors by row id. Refused rows are found by halving what was refused together. */
async function embed(
  rows: readonly Row[],
  config: EmbeddingsConfig,
  context: Context,
  failures: Map<string, RowFailure>,
  before: number,
): Promise<Map<string, number[]>> {
  try {
    const texts = rows.map((row) => row.content ?? '');
    const vectors = await context.services.embedder.embed(texts, config, context.signal, (done) =>
      context.progress(before + done),
    );
    return new Map(rows.map((row, index) => [row.id, vectors[index] ?? []]));
  } catch (error) {
    const [only] = rows;
    if (!(error instanceof AppError) || error.code !== 'EMBEDDING_REFUSED' || !only) throw error;
    if (rows.length === 1) {
      const id = documentOf(only);
      if (!failures.has(id))
        failures.set(id, { id, name: only.name, code: error.code, message: `${place(only)}${error.message}` });
      return new Map();
    }
    const middle = Math.ceil(rows.length / 2);
    const first = await embed(rows.slice(0, middle), config, context, failures, before);
    const second = await embed(rows.slice(middle), config, context, failures, before + middle);
    return new Map([...first, ...second]);
  }
}

function documentOf(row: Row): string {
  return row.document_id ?? row.id;
}

function place(row: Row): string {
  return row.chunk_index === undefined ? '' : `Chunk ${row.chunk_index}: `;
}
