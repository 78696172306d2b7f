import { AppError } from '../../../model/errors';
import { limitResponse } from '../limit-bytes';
import { contentTimeoutMs } from '../remote/requests';
import type { JsonApi } from './json-api';

/** The document to download. */
interface Download {
  api: Pick<JsonApi, 'send'>;
  url: URL;
  /** The path of the document, for messages. */
  file: string;
  maxBytes: number | undefined;
}

/** The bytes of a document, also where the server sends to a pre-signed address of another one. */
export async function* download(
  { api, url, file, maxBytes }: Download,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const response = await api
    .send({ url, followsElsewhere: true, timeoutMs: contentTimeoutMs }, signal)
    .catch((error: unknown) => {
      throw toDocumentError(error, file);
    });
  if (!response.ok) {
    await response.body?.cancel();
    throw new AppError('SOURCE_GONE', `'${file}' no longer exists.`);
  }
  yield* limitResponse(response, { name: file, maxBytes });
}

/** A document that may not be read fails; a refused sign-in ends the run, because no document could be read. */
export function toDocumentError(error: unknown, file: string): unknown {
  if (!(error instanceof AppError) || !['SOURCE_NOT_ALLOWED', 'EXTERNAL_SERVICE_ERROR'].includes(error.code))
    return error;
  return new AppError('SOURCE_UNREADABLE', `'${file}' cannot be read: ${error.message}`, {}, error);
}
