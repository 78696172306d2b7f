import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { AppError } from '../../../model/errors';
import { parseJson } from '../../../model/json';
import type { MediawikiSettings } from '../../../model/source/online/mediawiki-source';
import { parse } from '../../../model/validate';
import { addQuery } from '../../cloud/cloud-store';
import type { AddressGuard } from '../../net/address-guard';
import { parseRetryAfterMs } from '../../pacing/retry-after';
import { withinSentence } from '../items/json-api';
import { createRequests, readText, type RemoteRequest } from '../remote/requests';

/** The API of a wiki, signed in for one listing or one document. */
export interface WikiApi {
  /** Names the wiki in messages. */
  place: string;
  /**
   * The answer to a query. Throws SOURCE_GONE for a page that does not exist, SOURCE_NOT_ALLOWED for one that the account may not
   * read, and CONNECTION_ERROR with the time that the wiki asks to wait.
   */
  ask<Schema extends TSchema>(query: Readonly<Record<string, string>>, schema: Schema): Promise<Static<Schema>>;
  /** Fetches a file; the credentials are sent to the server of the API only. */
  fetch(url: URL, timeoutMs: number): Promise<Response>;
  close(): void;
}

const Failure = Type.Object({ error: Type.Object({ code: Type.String() }) });
const LoginToken = Type.Object({ query: Type.Object({ tokens: Type.Object({ logintoken: Type.String() }) }) });
const Login = Type.Object({ login: Type.Object({ result: Type.String() }) });
const maxAnswerBytes = 64 * 1024 * 1024;
const defaultWaitMs = 10_000;
const codeWord = /^[A-Za-z][A-Za-z0-9_-]{0,80}$/;

/** Opens the API, and signs in where the flow has credentials. */
export async function openWiki(
  settings: MediawikiSettings,
  guard: AddressGuard,
  signal: AbortSignal,
): Promise<WikiApi> {
  const { apiUrl, username, password, token } = settings;
  const base = URL.canParse(apiUrl) ? new URL(apiUrl) : undefined;
  if (!base || !/^https?:$/.test(base.protocol) || base.username !== '' || base.password !== '')
    throw new AppError('OPERATOR_CONFIGURATION_INVALID', `'${apiUrl}' is not an http or https address.`);
  const requests = createRequests(guard);
  const place = `The wiki at ${base.origin}`;
  const cookies = new Map<string, string>();
  const send = async (request: RemoteRequest): Promise<Response> => {
    const isOwn = request.url.origin === base.origin;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = {
      ...request.headers,
      ...(isOwn && token !== undefined ? { authorization: `Bearer ${token}` } : {}),
      ...(isOwn && cookie !== '' ? { cookie } : {}),
    };
    const response = await requests.send({ ...request, headers }, signal);
    if (isOwn) for (const line of response.headers.getSetCookie()) keepCookie(cookies, line);
    return response;
  };
  const call = async <Schema extends TSchema>(
    query: Readonly<Record<string, string>>,
    schema: Schema,
    body?: Readonly<Record<string, string>>,
  ): Promise<Static<Schema>> => {
    const url = new URL(base);
    addQuery(url, { format: 'json', formatversion: '2', ...query });
    const form = body && {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(body).toString(),
    };
    return await readAnswer(await send({ url, ...form }), schema, place);
  };
  const api: WikiApi = {
    place,
    ask: (query, schema) => call(query, schema),
    fetch: (url, timeoutMs) => send({ url, timeoutMs, followsElsewhere: true }),
    close: () => requests.close(),
  };
  try {
    if (token === undefined && username !== undefined && password !== undefined) {
      const { query } = await call({ action: 'query', meta: 'tokens', type: 'login' }, LoginToken);
      const form = { lgname: username, lgpassword: password, lgtoken: query.tokens.logintoken };
      const { login } = await call({ action: 'login' }, Login, form);
      if (login.result !== 'Success')
        throw new AppError('SOURCE_SIGN_IN_FAILED', `${place} does not accept name and password.`);
    }
    return api;
  } catch (error) {
    api.close();
    throw error;
  }
}

/** Attributes are ignored: cookies are sent to the same origin only, and not kept. */
function keepCookie(cookies: Map<string, string>, line: string): void {
  const [, name, value] = /^([^=;\s]+)=([^;]*)/.exec(line) ?? [];
  if (name !== undefined && value !== undefined) cookies.set(name, value);
}

async function readAnswer<Schema extends TSchema>(
  response: Response,
  schema: Schema,
  place: string,
): Promise<Static<Schema>> {
  const { status } = response;
  if (status === 401 || status === 403) {
    await response.body?.cancel();
    throw new AppError('SOURCE_SIGN_IN_FAILED', `${place} does not accept the credentials (${status}).`);
  }
  if (status >= 500) {
    await response.body?.cancel();
    throw new AppError('CONNECTION_ERROR', `${place} cannot answer (${status}).`);
  }
  const answer = parseJson(await readText(response, maxAnswerBytes));
  if (!response.ok || answer === undefined)
    throw new AppError('SOURCE_NOT_FOUND', `${place} has no API at this address (${status}).`);
  const code = findCode(answer);
  if (code === undefined) return parse(schema, answer, `The answer of ${withinSentence(place)}`, 'INVALID_RESPONSE');
  throw toError(code, place, parseRetryAfterMs(response.headers.get('retry-after') ?? undefined));
}

function findCode(answer: unknown): string | undefined {
  try {
    return parse(Failure, answer, 'The answer', 'INVALID_RESPONSE').error.code;
  } catch {
    return undefined;
  }
}

function toError(code: string, place: string, retryMs = defaultWaitMs): AppError {
  const word = codeWord.test(code) ? ` (${code})` : '';
  if (code === 'maxlag' || code === 'ratelimited' || code === 'readonly')
    return new AppError('CONNECTION_ERROR', `${place} asks to wait${word}.`, { retryAfterMs: retryMs });
  if (code === 'missingtitle' || code === 'nosuchpageid' || code === 'nosuchrevid')
    return new AppError('SOURCE_GONE', `${place} no longer has the page${word}.`);
  if (code === 'readapidenied' || code === 'mwoauth-invalid-authorization')
    return new AppError('SOURCE_SIGN_IN_FAILED', `${place} can be read only with an account that it accepts${word}.`);
  if (code === 'permissiondenied')
    return new AppError('SOURCE_NOT_ALLOWED', `${place} does not allow this to the account${word}.`);
  return new AppError('EXTERNAL_SERVICE_ERROR', `${place} refused a request${word}.`);
}
