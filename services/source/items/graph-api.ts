import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { AppError } from '../../../model/errors';
import type { GraphAccount } from '../../../model/source/online/sharepoint-source';
import { parse } from '../../../model/validate';
import { addQuery } from '../../cloud/cloud-store';
import type { AddressGuard } from '../../net/address-guard';
import { pause } from '../../pacing/pause';
import { parseRetryAfterMs } from '../../pacing/retry-after';
import { createRequests } from '../remote/requests';
import { findToken, type GraphTokens, buildSignInUrl } from './graph-sign-in';
import { type JsonApi, openJsonApi, readAnswer, readPages } from './json-api';

/** Microsoft Graph for one application and tenant. */
export interface Graph extends JsonApi {
  /** An address below `/v1.0`; `path` begins with `/`, its parts are encoded. */
  buildUrl(path: string, query?: Readonly<Record<string, string>>): URL;
  /** The id of the tenant, whether the flow names the id or one of its domains. */
  findTenantId(signal: AbortSignal): Promise<string>;
  /** All pages of a collection. Throws SOURCE_GONE if it does not exist, INVALID_RESPONSE if a page names another server. */
  readPages<Schema extends TSchema>(
    url: URL,
    item: Schema,
    signal: AbortSignal,
  ): AsyncGenerator<readonly Static<Schema>[]>;
  /** Requests several addresses at once, each given as a path below `/v1.0`. Waits if the server throttles some. */
  readBatch<Schema extends TSchema>(
    paths: readonly string[],
    schema: Schema,
    signal: AbortSignal,
  ): Promise<(Static<Schema> | { status: number })[]>;
}

const BatchAnswer = Type.Object({
  responses: Type.Array(
    Type.Object({
      id: Type.String(),
      status: Type.Integer(),
      headers: Type.Optional(Type.Record(Type.String(), Type.String())),
      body: Type.Optional(Type.Unknown()),
    }),
  ),
});
const Discovery = Type.Object({ issuer: Type.String() });
const Refusal = Type.Object({ error: Type.Object({ code: Type.String() }) });

/** The number of requests that Graph accepts in a batch. */
const batchSize = 20;
const maxBatchWaits = 5;
/** Longest wait within a call; for a longer one, the run waits. */
const maxWaitMs = 60_000;

/** Opens Graph. Throws OPERATOR_CONFIGURATION_INVALID for an invalid address. */
export function openGraph(account: GraphAccount, guard: AddressGuard, tokens: GraphTokens): Graph {
  const api = openJsonApi({
    guard,
    base: account.endpoint,
    authorize: async (requests, signal, isRenewed) =>
      `Bearer ${await findToken({ account, resource: account.endpoint }, { requests, tokens, isRenewed }, signal)}`,
    findCode: findGraphCode,
  });
  const urlOf: Graph['buildUrl'] = (path, query = {}) => {
    const url = new URL(`${account.endpoint}/v1.0${path}`);
    addQuery(url, query);
    return url;
  };
  return {
    ...api,
    buildUrl: urlOf,
    findTenantId: (signal) => findTenantId(account, guard, signal),
    readPages: (url, item, signal) => readGraphPages(api, url, item, signal),
    async readBatch(paths, schema, signal) {
      const results: unknown[] = [];
      for (let start = 0; start < paths.length; start += batchSize) {
        const request = { paths: paths.slice(start, start + batchSize), schema };
        results.push(...(await sendBatch(api, urlOf('/$batch'), request, signal)));
      }
      return results;
    },
  };
}

/** The error code of a refusal. */
export function findGraphCode(answer: unknown): string | undefined {
  try {
    return parse(Refusal, answer, 'The answer', 'INVALID_RESPONSE').error.code;
  } catch {
    return undefined;
  }
}

async function* readGraphPages<Schema extends TSchema>(
  api: JsonApi,
  first: URL,
  item: Schema,
  signal: AbortSignal,
): AsyncGenerator<readonly Static<Schema>[]> {
  const schema = Type.Object({ value: Type.Array(item), '@odata.nextLink': Type.Optional(Type.String()) });
  yield* readPages<Static<Schema>>(api.place, async (next) => {
    const page = await api.read(next === undefined ? first : toLink(api, next), schema, signal);
    if (!page) throw new AppError('SOURCE_GONE', `A collection of ${api.place} no longer exists.`);
    return { items: page.value, next: page['@odata.nextLink'] };
  });
}

/** The address of a further page; `send` refuses one of another server. */
export function toLink({ place }: JsonApi, link: string): URL {
  if (URL.canParse(link)) return new URL(link);
  throw new AppError('INVALID_RESPONSE', `${place} returned a next page whose address is invalid.`);
}

async function sendBatch(
  api: JsonApi,
  url: URL,
  { paths, schema }: { paths: readonly string[]; schema: TSchema },
  signal: AbortSignal,
): Promise<unknown[]> {
  const replies = new Map<string, unknown>();
  for (let waits = 0; ; waits += 1) {
    const requests = paths
      .map((path, index) => ({ id: String(index), method: 'GET', url: path }))
      .filter(({ id }) => !replies.has(id));
    if (requests.length === 0) return paths.map((_, index) => replies.get(String(index)));
    const body = JSON.stringify({ requests });
    const response = await api.send(
      { url, method: 'POST', headers: { 'content-type': 'application/json' }, body },
      signal,
    );
    const { responses } = await readAnswer(response, BatchAnswer, api.place);
    const unanswered = new Set(requests.map(({ id }) => id));
    let waitMs = 0;
    for (const { id, status, headers = {}, body: answer } of responses) {
      if (!unanswered.delete(id)) continue;
      if (status === 429 || status === 503) {
        const retryAfter = Object.keys(headers).find((name) => name.toLowerCase() === 'retry-after') ?? '';
        waitMs = Math.max(waitMs, parseRetryAfterMs(headers[retryAfter]) ?? 1_000 * 2 ** waits);
      } else if (status === 200)
        replies.set(id, parse(schema, answer, `The answer of ${api.place}`, 'INVALID_RESPONSE'));
      else if (status === 401)
        throw new AppError('SOURCE_SIGN_IN_FAILED', `${api.place} does not accept the token (401).`);
      else replies.set(id, { status });
    }
    if (unanswered.size > 0) throw new AppError('INVALID_RESPONSE', `${api.place} left out answers of a batch.`);
    if (waitMs === 0) continue;
    if (waitMs > maxWaitMs || waits === maxBatchWaits)
      throw new AppError('CONNECTION_ERROR', `${api.place} asks to wait (429).`, { retryAfterMs: waitMs });
    await pause(waitMs, signal);
  }
}

const tenantIdPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** A tenant can be named by each of its domains, so only the id determines whether an identity map covers it. */
async function findTenantId(
  { login, tenant }: GraphAccount,
  guard: AddressGuard,
  signal: AbortSignal,
): Promise<string> {
  if (tenantIdPattern.test(tenant)) return tenant.toLowerCase();
  const requests = createRequests(guard);
  try {
    const url = buildSignInUrl(login, tenant, 'v2.0/.well-known/openid-configuration');
    const response = await requests.send({ url }, signal);
    const place = `The sign-in server ${url.origin}`;
    if (response.status >= 500) throw new AppError('CONNECTION_ERROR', `${place} cannot answer (${response.status}).`);
    const { issuer } = await readAnswer(response, Discovery, place);
    const tenantId = issuer.split('/').find((part) => tenantIdPattern.test(part));
    if (tenantId !== undefined) return tenantId.toLowerCase();
    throw new AppError('SOURCE_NOT_FOUND', `${place} does not know the tenant '${tenant}'.`);
  } finally {
    requests.close();
  }
}
