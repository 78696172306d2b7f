import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { Context } from 'koa';
import type { RequestProblem } from '../../../model/conversion/request/check-value';
import type { FormFields } from '../../../model/conversion/request/form-fields';
import { RequestError } from '../http/request-error';
import type { Upload, UploadSink, Uploads } from './uploads';

const maxFieldBytes = 1024 * 1024;
const maxFields = 10_000;
/** Number of files written concurrently; reading pauses at this number. */
const maxParallelFiles = 16;

/** A form whose files are in the store, in the order received. */
export interface FormBody {
  fields: FormFields;
  files: readonly FormFile[];
  problems: readonly RequestProblem[];
}
/** A file of a form. */
export interface FormFile {
  upload: Upload;
  /** As sent, including folders. */
  filename: string;
  mimetype: string;
}

/** True for `multipart/form-data`, with or without a boundary. */
export function isForm(context: Context): boolean {
  return typeof context.request.is('multipart/form-data') === 'string';
}

/** Reads a form. Streams the parts named `files` to `uploads`. */
export async function readFormBody(
  context: Context,
  chunks: AsyncIterable<Buffer>,
  uploads: Uploads,
): Promise<FormBody> {
  const parser = createParser(context.get('Content-Type'));
  const fields: { name: string; value: string }[] = [];
  const pending: Promise<FormFile>[] = [];
  const problems: RequestProblem[] = [];
  const failure = createFirstError();
  parser.on('error', (error) => failure.note(createFormError(error)));
  parser.on('field', (name, value, _nameTruncated, isTruncated) => {
    if (isTruncated) failure.note(new RequestError(400, `Part exceeded maximum size of ${maxFieldBytes / 1024}KB.`));
    else if (name === 'files') problems.push(createNotAFileError(pending.length));
    else fields.push({ name, value });
  });
  parser.on('fieldsLimit', () =>
    failure.note(new RequestError(400, `Too many fields. Maximum number is ${maxFields}.`)),
  );
  parser.on('file', (name, stream, filename, _encoding, mimetype) => {
    stream.on('error', () => undefined);
    if (name !== 'files') return void stream.resume();
    const before = pending.at(-maxParallelFiles) ?? Promise.resolve();
    const file = before.then(() => store(stream, uploads.open())).then((upload) => ({ upload, filename, mimetype }));
    file.catch((error: unknown) => {
      failure.note(error);
      stream.resume();
    });
    pending.push(file);
  });
  await feed(parser, chunks, failure);
  const files = await Promise.all(pending);
  failure.check();
  return { fields, files, problems };
}

/** Holds the first error of the parser, the request or a file. */
interface FirstError {
  note(error: unknown): void;
  /** Throws the recorded error. */
  check(): void;
  /** Resolves when an error is recorded. */
  noted: Promise<void>;
}

function createFirstError(): FirstError {
  const errors: unknown[] = [];
  let resolveNoted = () => {};
  const noted = new Promise<void>((resolve) => (resolveNoted = resolve));
  return {
    noted,
    note(error) {
      errors.push(error);
      resolveNoted();
    },
    check() {
      if (errors.length > 0) throw errors[0];
    },
  };
}

function createParser(contentType: string): BusboyInstance {
  if (!/;\s*boundary=\s*("?)[^\s";]+/i.test(contentType)) throw new RequestError(400, 'Missing boundary in multipart.');
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      preservePath: true,
      isPartAFile: (name, type, filename) =>
        filename !== undefined || (name === 'files' && type === 'application/octet-stream'),
      limits: { fieldSize: maxFieldBytes, fields: maxFields, headerPairs: 200 },
    });
  } catch (error) {
    throw createFormError(error);
  }
}

async function feed(parser: BusboyInstance, chunks: AsyncIterable<Buffer>, failure: FirstError): Promise<void> {
  const finished = once(parser, 'finish').catch(() => undefined);
  for await (const chunk of chunks) {
    if (!parser.write(chunk)) await Promise.race([once(parser, 'drain'), failure.noted]);
    failure.check();
  }
  parser.end();
  await Promise.race([finished, failure.noted]);
  failure.check();
}

async function store(stream: Readable, sink: UploadSink): Promise<Upload> {
  for await (const chunk of stream) await sink.write(chunk as Buffer);
  return sink.end();
}

function createNotAFileError(index: number): RequestProblem {
  const msg = "Value error, Expected UploadFile, received: <class 'str'>";
  return { type: 'value_error', loc: ['body', 'files', index], msg };
}

function createFormError(error: unknown): RequestError {
  return new RequestError(400, `There was an error parsing the body: ${(error as Error).message}.`);
}
