import type { Static, TSchema } from '@sinclair/typebox';
import { AppError } from '../../../model/errors';
import { parseJson } from '../../../model/json';
import { parse } from '../../../model/validate';
import type { AddressGuard } from '../../net/address-guard';
import { createRequests, readText, type RemoteRequest, type Requests } from '../remote/requests';

/** A JSON API of one server. Credentials are sent to its origin only, whatever addresses its answers contain. */
export interface JsonApi {
  /** Names the server in messages. */
  place: string;
  /**
   * Sends a request with credentials and returns a successful response, or 404 or 410. Throws SOURCE_SIGN_IN_FAILED,
   * SOURCE_NOT_ALLOWED, CONNECTION_ERROR with the time that the server asks to wait, or EXTERNAL_SERVICE_ERROR. Messages never
   * repeat what the server says, except for a code word.
   */
  send(request: RemoteRequest, signal: AbortSignal): Promise<Response>;
  /** The parsed answer; undefined if the server has no such thing. */
  read<Schema extends TSchema>(url: URL, schema: Schema, signal: AbortSignal): Promise<Static<Schema> | undefined>;
  close(): void;
}

/** The server of an API, and how to sign in. */
export interface JsonApiDeps {
  guard: AddressGuard;
  /** The address of the server, without a trailing slash. */
  base: string;
  /** The header with the credentials. `isRenewed`: the server refused the previous one. */
  authorize: (requests: Requests, signal: AbortSignal, isRenewed: boolean) => Promise<string>;
  /** Finds the code word in the body of a refusal. */
  findCode?: (answer: unknown) => string | undefined;
}

const maxAnswerBytes = 64 * 1024 * 1024;
const maxErrorBytes = 1024 * 1024;
const codeWord = /^[A-Za-z][A-Za-z0-9_.-]{0,80}$/;
/** The wait if a server throttles requests without stating a time. */
const defaultWaitMs = 60_000;

/** Opens the API. Throws OPERATOR_CONFIGURATION_INVALID unless `base` is an http or https address without a password. */
export function openJsonApi({ guard, base, authorize, findCode = () => undefined }: JsonApiDeps): JsonApi {
  const { origin } = readBase(base);
  const requests = createRequests(guard);
  const place = `The server ${origin}`;
  const send: JsonApi['send'] = async (request, signal) => {
    if (request.url.origin !== origin)
      throw new AppError('INVALID_RESPONSE', `${place} returned an address on another server, which is not contacted.`);
    const sendAuthorized = async (isRenewed: boolean) => {
      const authorization = await authorize(requests, signal, isRenewed);
      return await requests.send({ ...request, headers: { ...request.headers, authorization } }, signal);
    };
    let response = await sendAuthorized(false);
    if (response.status === 401) {
      // The token may have expired early; with a new one, a refusal concerns the credentials.
      await response.body?.cancel();
      response = await sendAuthorized(true);
    }
    if (response.ok || response.status === 404 || response.status === 410) return response;
    throw await toRefusal(response, place, findCode);
  };
  return {
    place,
    send,
    async read(url, schema, signal) {
      const response = await send({ url, headers: { accept: 'application/json' } }, signal);
      if (!response.ok) {
        await response.body?.cancel();
        return undefined;
      }
      return await readAnswer(response, schema, place);
    },
    close: () => requests.close(),
  };
}

/** The answer as JSON. Throws INVALID_RESPONSE if it does not match the schema. */
export async function readAnswer<Schema extends TSchema>(
  response: Response,
  schema: Schema,
  place: string,
): Promise<Static<Schema>> {
  return parse(
    schema,
    parseJson(await readText(response, maxAnswerBytes)),
    `The answer of ${withinSentence(place)}`,
    'INVALID_RESPONSE',
  );
}

/** The name of a place inside a sentence: `The server …` becomes `the server …`. */
export function withinSentence(place: string): string {
  return place.replace(/^The /, 'the ');
}

/** One page of a listing; `next` is where it continues. */
export interface Page<T> {
  items: readonly T[];
  next?: string | undefined;
}

const maxPages = 1_000_000;
const maxEmptyPages = 1_000;

/**
 * The items of a listing, page by page. Throws INVALID_RESPONSE if the server would never finish: it names a page again, or keeps
 * sending empty ones.
 */
export async function* readPages<T>(
  place: string,
  read: (next: string | undefined) => Promise<Page<T>>,
): AsyncGenerator<readonly T[]> {
  const seenPages = new Set<string>();
  let next: string | undefined;
  let emptyPages = 0;
  for (let count = 0; count < maxPages; count += 1) {
    const page = await read(next);
    if (page.items.length > 0) yield page.items;
    emptyPages = page.items.length === 0 ? emptyPages + 1 : 0;
    if (page.next === undefined || page.next === '') return;
    if (seenPages.has(page.next) || emptyPages > maxEmptyPages) break;
    seenPages.add(page.next);
    next = page.next;
  }
  throw new AppError('INVALID_RESPONSE', `A listing of ${withinSentence(place)} does not end: it repeats itself.`);
}

function readBase(base: string): URL {
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new AppError('OPERATOR_CONFIGURATION_INVALID', `'${base}' is not an http or https address.`);
  return url;
}

async function toRefusal(
  response: Response,
  place: string,
  findCode: NonNullable<JsonApiDeps['findCode']>,
): Promise<AppError> {
  const { status } = response;
  const code = findCode(parseJson(await readText(response, maxErrorBytes).catch(() => '')));
  // Servers may repeat the request in their messages, so only a code word is passed on.
  const word = code !== undefined && codeWord.test(code) ? ` ${code}` : '';
  const reason = `${status}${word}`;
  if (/rateLimitExceeded/i.test(word))
    return new AppError('CONNECTION_ERROR', `${place} asks to wait (${reason}).`, { retryAfterMs: defaultWaitMs });
  if (status === 401)
    return new AppError('SOURCE_SIGN_IN_FAILED', `${place} does not accept these credentials (${reason}).`);
  if (status === 403)
    return new AppError('SOURCE_NOT_ALLOWED', `${place} does not allow the account to do this (${reason}).`);
  if (status >= 500) return new AppError('CONNECTION_ERROR', `${place} cannot answer (${reason}).`);
  return new AppError('EXTERNAL_SERVICE_ERROR', `${place} refused a request (${reason}).`);
}
