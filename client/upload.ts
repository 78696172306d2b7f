import type { LibraryFile, Upload } from '../model/document-set/wire-files';
import type { Call } from './http';
import { isRetryable, pause } from './retry';

/** A file to upload; a browser's `File` is one. */
export interface UploadedFile {
  name: string;
  content: Blob;
  sha256?: string;
}

/** How to upload. */
export interface UploadOptions {
  signal?: AbortSignal;
  /** Called after every part with the number of bytes on the server. */
  onProgress?: (sent: number, total: number) => void;
  /** Maximum number of times a part is resent after a lost connection; default 5. */
  attempts?: number;
}

const firstPauseMs = 200;

type Send = <T>(call: Call) => Promise<T>;

/** Announces the file, sends the missing parts and completes the upload. */
export async function uploadFile(
  send: Send,
  library: string,
  { name, content, sha256 }: UploadedFile,
  { signal, onProgress, attempts = 5 }: UploadOptions = {},
): Promise<LibraryFile> {
  const sendWithRetries = <T>(call: Call) => retry(() => send<T>({ ...call, signal }), attempts, signal);
  const announced = { name, size: content.size, sha256: sha256 ?? (await computeHash(content)) };
  const upload = await sendWithRetries<Upload>({ method: 'POST', path: `${library}/uploads`, body: announced });
  if (upload.file) {
    onProgress?.(content.size, content.size);
    return upload.file;
  }
  const path = `${library}/uploads/${encodeURIComponent(upload.upload_id)}`;
  const slicePart = (number: number) => content.slice((number - 1) * upload.part_size, number * upload.part_size);
  const countMissingBytes = (parts: readonly number[]) =>
    parts.reduce((sum, number) => sum + slicePart(number).size, 0);
  for (const number of upload.missing_parts) {
    const bytes = slicePart(number);
    const { missing_parts } = await sendWithRetries<Upload>({ method: 'PUT', path: `${path}/parts/${number}`, bytes });
    onProgress?.(content.size - countMissingBytes(missing_parts), content.size);
  }
  return sendWithRetries({ method: 'POST', path: `${path}/complete` });
}

/** Retries requests that got no response or met an unavailable server, with increasing pauses. */
async function retry<T>(work: () => Promise<T>, attempts: number, signal: AbortSignal | undefined): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || !isRetryable(error)) throw error;
      await pause(firstPauseMs * 2 ** attempt, signal);
    }
  }
}

async function computeHash(content: Blob): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest('SHA-256', await content.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
