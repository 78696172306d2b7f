import { asAppError, errorCatalogue } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { buildCorrectionKey, type KeptForm, buildKeptKey } from '../../model/run/kept-document';
import type { Converted } from '../../services/conversion/converter';
import type { OperatorContext } from '../operator';

type Context = OperatorContext<'files'>;

/** The Markdown that a person wrote for this version of the document, if any. */
export async function readCorrection(row: Row, { services, run: { jobId } }: Context): Promise<Uint8Array | undefined> {
  if (row.content_hash === undefined) return undefined;
  const key = buildCorrectionKey(jobId, row.id, row.content_hash);
  return (await services.files.exists(key)) ? services.files.get(key) : undefined;
}

/** The version under which the forms of a document are kept; sources without hashes have one per run. */
export function getVersion(row: Row, { run }: Context): string {
  return row.content_hash ?? run.runId;
}

/** Stores the original of a document that cannot be converted, so that its owner can look at it. */
export async function keepFailed(
  row: Row,
  original: Uint8Array | undefined,
  { error, context }: { error: unknown; context: Context },
): Promise<void> {
  const { code } = asAppError(error, 'CONVERSION_FAILED');
  if (!original || context.signal.aborted || errorCatalogue[code].scope !== 'document') return;
  const key = buildKeptKey(context.run.jobId, row.id, getVersion(row, context), 'original');
  await context.services.files.put(key, original);
}

/** Stores all forms of the document, under keys that a repeated attempt uses again. Returns the key of the JSON. */
export async function keepForms(
  row: Row,
  { original, markdown, documentJson }: Pick<Converted, 'markdown' | 'documentJson'> & { original?: Uint8Array },
  context: Context,
): Promise<string> {
  const { services } = context;
  const buildKey = (form: KeptForm) => buildKeptKey(context.run.jobId, row.id, getVersion(row, context), form);
  if (original) await services.files.put(buildKey('original'), original);
  await services.files.put(buildKey('markdown'), new TextEncoder().encode(markdown));
  await services.files.put(buildKey('json'), new TextEncoder().encode(documentJson));
  return buildKey('json');
}
