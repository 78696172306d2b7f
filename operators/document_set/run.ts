import { AppError } from '../../model/errors';
import { getDocumentId, type Row } from '../../model/flow/row';
import type { OperatorContext, OperatorResult } from '../operator';
import type { DocumentSetConfig } from './schema';

type Context = OperatorContext<'documentSets'>;

/** A set that is deleted at the same time is created again. */
const maxAttempts = 3;

/**
 * Writes the rows under their ids to the owner's document set and returns them unchanged. Rows from earlier runs for changed
 * or removed documents are deleted when the part and the run are settled.
 */
export async function run(rows: readonly Row[], config: DocumentSetConfig, context: Context): Promise<OperatorResult> {
  const { runId, jobId, startedAt } = context.run;
  const origin = { runId, jobId, startedAt, operator: context.operator };
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const setId = await findOrCreateSet(config, context);
    context.signal.throwIfAborted();
    if (!(await context.services.documentSets.write(setId, origin, rows))) continue;
    context.progress(rows.length, rows.length);
    return { rows: [...rows], metrics: { stored_rows: rows.length, stored_documents: countDocuments(rows) } };
  }
  throw new AppError(
    'OPERATOR_EXECUTION_FAILED',
    `The document set '${config.document_set_name}' was deleted each of the ${maxAttempts} times that '${context.operator}' wrote to it; run the flow again once nobody deletes it.`,
  );
}

async function findOrCreateSet(config: DocumentSetConfig, { services, run, operator }: Context): Promise<string> {
  const { document_set_id: id, document_set_name: name, description, metadata, readers } = config;
  if (id !== undefined) {
    const documentSet = await services.documentSets.find(run.owner, { id });
    if (documentSet) return documentSet.id;
    throw new AppError(
      'DOCUMENT_SET_NOT_FOUND',
      `'${operator}' writes to the document set '${id}', which does not exist or is not owned by '${run.owner}'.`,
    );
  }
  if (name === undefined) {
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      `'${operator}' names no document set; expected document_set_name or document_set_id.`,
    );
  }
  // A run has many parts; only the first one creates the set.
  const existing = await services.documentSets.find(run.owner, { name });
  if (existing) return existing.id;
  const { set } = await services.documentSets.getOrCreate({
    name,
    owner: run.owner,
    description,
    metadata,
    readers,
  });
  return set.id;
}

function countDocuments(rows: readonly Row[]): number {
  return new Set(rows.map(getDocumentId)).size;
}
