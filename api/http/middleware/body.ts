import type { Context, Middleware } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { AppError } from '../../../model/errors';
import { findJsonExcess, type JsonExcess, maxJsonDepth, maxJsonListValues, maxJsonMembers } from '../json-size';

/** Maximum size of a body of `/api/v1` and `/auth`: 5 MiB. */
export const maxBodyBytes = 5 * 1024 * 1024;
const createTooLargeError = () =>
  new AppError('PAYLOAD_TOO_LARGE', `Payload too large. Maximum size is 5.0MB (${maxBodyBytes} bytes).`);

/**
 * Rejects bodies by their announced length, before any other check. `isExempt` matches paths with their own limits. Chunked
 * bodies are counted while they are read.
 */
export function refuseLargeBodies(isExempt: (path: string) => boolean): Middleware {
  return async (context, next) => {
    if (Number(context.get('Content-Length')) > maxBodyBytes && !isExempt(context.path)) throw createTooLargeError();
    await next();
  };
}

const jsonTypes = ['json', '+json'];

/** Reads bytes as latin1, one character each. Invalid UTF-8 is rejected below; koa-body would silently replace it. */
const readBytes = koaBody({
  json: false,
  urlencoded: false,
  text: true,
  multipart: false,
  textLimit: maxBodyBytes,
  textTypes: jsonTypes,
  encoding: 'latin1',
  // By default, bodies of DELETE requests are ignored.
  parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.PATCH, HttpMethodEnum.DELETE],
});

/**
 * Reads a JSON body, `{}` when there is none. Rejects other media types and encodings, invalid JSON, bodies that are too long or
 * too deeply nested, and lone surrogates, which stores cannot keep.
 */
export async function readJsonBody(context: Context): Promise<unknown> {
  const type = context.request.is(...jsonTypes);
  if (type === null || context.get('Content-Length') === '0') return {};
  if (type === false || !isUtf8(context.request.charset)) {
    const input = context.get('Content-Type') || 'none';
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body must be application/json in UTF-8; the Content-Type given is ${input}.`,
      {
        target: { type: 'header', name: 'Content-Type' },
      },
    );
  }
  await readBytes(context, async () => {}).catch((error: unknown) => {
    // The rest of the body is discarded. Otherwise the connection could not process its next request.
    context.req.unpipe();
    context.req.resume();
    throw createReadingError(error);
  });
  return parseJson(Buffer.from((context.request.body as string | undefined) ?? '', 'latin1'));
}

/** Reads a body of raw bytes. Rejects other media types, and bodies that are too long or incomplete. */
export async function readByteBody(context: Context): Promise<Buffer> {
  const isBytes = context.request.is('application/octet-stream');
  const input = context.get('Content-Type') || 'none';
  if (!isBytes || context.get('Content-Encoding') !== '')
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body must be application/octet-stream without Content-Encoding; the Content-Type given is ${input}.`,
      { target: { type: 'header', name: 'Content-Type' } },
    );
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Reads an over-long body to its end; otherwise the connection would break before the reply.
    for await (const chunk of context.req) {
      size += (chunk as Buffer).length;
      if (size > maxBodyBytes) chunks.length = 0;
      else chunks.push(chunk as Buffer);
    }
  } catch (error) {
    throw createReadingError(error);
  }
  if (size > maxBodyBytes) throw createTooLargeError();
  return Buffer.concat(chunks, size);
}

function isUtf8(charset: string): boolean {
  return ['', 'utf-8', 'utf8', 'us-ascii'].includes(charset.toLowerCase());
}

const excessMessages: Readonly<Record<JsonExcess, string>> = {
  depth: `The body is nested more than ${maxJsonDepth} levels deep.`,
  members: `The body has more than ${maxJsonMembers} named members.`,
  values: `The lists of the body have more than ${maxJsonListValues} values together.`,
};

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  const excess = findJsonExcess(bytes);
  if (excess) throw new AppError('VALIDATION_ERROR', excessMessages[excess]);
  let body: unknown;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    body = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'it is not UTF-8';
    throw new AppError('VALIDATION_ERROR', `The body is not valid JSON: ${reason}.`, {}, error);
  }
  if (typeof body !== 'object' || body === null)
    throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object or array.');
  checkMembers(body, /\\u[dD][89a-fA-F]/.test(text));
  return body;
}

function createReadingError(error: unknown): AppError {
  const { status, message } = error as { status?: number; message?: string };
  if (status === 413) return createTooLargeError();
  if (status === 415)
    return new AppError('UNSUPPORTED_MEDIA_TYPE', 'The Content-Encoding of the body is not supported.');
  return new AppError('VALIDATION_ERROR', `The body cannot be read: ${message ?? 'it broke off'}.`);
}

/** Visits all levels without recursion. */
function checkMembers(body: object, mayHaveSurrogates: boolean): void {
  let current = [body];
  while (current.length > 0) {
    const children: object[] = [];
    for (const container of current) {
      if (Object.hasOwn(container, '__proto__'))
        throw new AppError('VALIDATION_ERROR', "The body has a member '__proto__', which no request needs.");
      const values: unknown[] = Object.values(container);
      if (mayHaveSurrogates) [...Object.keys(container), ...values].forEach(checkSurrogates);
      for (const value of values) if (typeof value === 'object' && value !== null) children.push(value);
    }
    current = children;
  }
}

function checkSurrogates(value: unknown): void {
  if (typeof value === 'string' && /\p{Surrogate}/u.test(value))
    throw new AppError(
      'VALIDATION_ERROR',
      `The text ${JSON.stringify(value.slice(0, 100))} contains half of a surrogate pair, which is not a character.`,
    );
}
