import type { TSchema } from '@sinclair/typebox';
import type { Context } from 'koa';
import type { User } from '../../model/access';
import { AppError, type ErrorCode } from '../../model/errors';
import type { Problem } from '../../model/schema-errors';
import { trimSlashes } from '../../model/trim-slashes';
import { listProblems } from '../../model/validate';
import { authenticate } from '../login/authenticate';
import { createClientAddress } from '../login/client-address';
import { type KeySession, requireScope } from '../login/key-session';
import type { ApiOptions, ApiServices } from '../services';
import { type Api, findRoute, sendJsonRefusal } from './api';
import { runAudited, isAudited } from './audit';
import { isKnown } from './conditional';
import { createErrorBody, createErrorHeaders } from './error-body';
import { findLocation } from './location';
import { readByteBody, readJsonBody } from './middleware/body';
import { allowPageAssets } from './middleware/security-headers';
import { getTrace } from './middleware/trace';
import { isReply, type Exchange, type Route, getDefaultStatus } from './route';
import { warnOfUnknownParameters } from './unknown-parameters';

/** The pipeline server: `/api/v1`, `/auth` and the probes. */
export function createPipelineApi(routes: readonly Route[], services: ApiServices, options: ApiOptions): Api<Route> {
  const clientAddress = createClientAddress(options.trustedProxies);
  return {
    routes,
    listPaths: ({ path }) => [path],
    owns: () => true,
    async answer(route, context) {
      const address = clientAddress(context.ip, context.get('X-Forwarded-For'));
      context.state['clientAddress'] = address;
      send(context, route, await runRequest(route, context, { services, options, routes, address }));
      const location = context.status === 201 ? findLocation(context.path, context.body, routes) : undefined;
      if (location !== undefined) context.set('Location', getBaseUrl(context, options) + location);
    },
    buildRefusal(error, context) {
      const invalidStatus = (findRoute(context) as Route | undefined)?.invalidStatus;
      const { status, body } = createErrorBody(error, {
        codeCase: options.codeCase,
        trace: getTrace(context),
        invalidStatus,
      });
      return { status, headers: createErrorHeaders(status, error), body };
    },
    sendRefusal: sendJsonRefusal,
  };
}

const nobody: { user?: User; key?: KeySession } = {};

/** Authenticates, validates the request, and calls the handler within its time limit. */
async function runRequest(
  route: Route,
  context: Context,
  input: { services: ApiServices; options: ApiOptions; routes: readonly Route[]; address: string },
): Promise<unknown> {
  const { services, options, routes, address } = input;
  const { user, key } = route.auth === 'user' ? await authenticate(context, services, options) : nobody;
  const params = checkPart(route.params, { ...(context['params'] as object) }, 'parameter');
  const warning = warnOfUnknownParameters(route, context.query);
  if (warning !== undefined) context.set('Warning', warning);
  const query = checkPart(route.query, { ...context.query }, 'parameter');
  const facts = {
    user: user?.username,
    key_id: key?.key_id,
    params,
    body: undefined as unknown,
    client_address: address,
    trace: getTrace(context),
  };
  const work = async (signal: AbortSignal): Promise<unknown> => {
    if (key) requireScope(route, key);
    const body = route.body
      ? checkPart(route.bodyFor?.(query) ?? route.body, await readJsonBody(context), 'field', route.invalidBodyCode)
      : undefined;
    facts.body = body;
    return route.handler({
      ...buildExchangeFacts(context, options),
      clientAddress: address,
      actsAs: (username) => void (facts.user = username),
      services,
      options,
      routes,
      user,
      authenticateAgain: async () => (await authenticate(context, services, options)).user,
      params,
      query,
      body,
      bytes: () => readByteBody(context),
      asRequest: (other, sent, act) =>
        runAudited(other, services, { ...facts, body: undefined, ...sent }, async () => {
          if (key) requireScope(other, key);
          return act();
        }),
      signal,
    });
  };
  const runTimed = () => runWithinTime(context, options.requestTimeoutMs, work);
  return isAudited(route) ? runAudited(route, services, facts, runTimed) : runTimed();
}

function getBaseUrl(context: Context, { publicUrl }: Pick<ApiOptions, 'publicUrl'>): string {
  return trimSlashes(publicUrl ?? `${context.protocol}://${context.host}`);
}

function buildExchangeFacts(
  context: Context,
  { publicUrl }: ApiOptions,
): Pick<Exchange<unknown, unknown, unknown, User>, 'baseUrl' | 'url' | 'trace' | 'header'> {
  const baseUrl = getBaseUrl(context, { publicUrl });
  const address = `${baseUrl}${context.path}${context.search}`;
  if (!URL.canParse(address))
    throw new AppError('VALIDATION_ERROR', 'The address or the header Host of the request is malformed.');
  const readHeader = (name: string) => context.get(name) || undefined;
  return { baseUrl, url: new URL(address), trace: getTrace(context), header: readHeader };
}

function checkPart(
  schema: TSchema,
  value: unknown,
  type: 'parameter' | 'field',
  code: ErrorCode = 'VALIDATION_ERROR',
): unknown {
  const problems = listProblems(schema, value, { coerce: type === 'parameter' });
  if (problems.length === 0) return value;
  const details = problems
    .slice(0, 100)
    .map(
      (problem) =>
        (type === 'parameter' && describeRepetition(problem, schema, value)) || describeProblem(problem, type),
    );
  throw new AppError(code, details.map(({ message }) => message).join(' '), { problems: details });
}

/** The problem of a parameter that takes one value and was given several times; undefined for other problems. */
function describeRepetition({ pointer }: Problem, { properties }: TSchema, query: unknown) {
  const [, name = ''] = pointer.split('/');
  const parameter = ((properties ?? {}) as Record<string, { type?: string } | undefined>)[name];
  if (parameter?.type === 'array' || !Array.isArray((query as Record<string, unknown>)[name])) return undefined;
  return { message: `Parameter '${name}' is given more than once.`, target: { type: 'parameter', name } } as const;
}

function describeProblem({ pointer, message, missing, unknown }: Problem, type: 'parameter' | 'field') {
  const path = pointer.split('/').slice(1);
  const member = missing ?? unknown;
  const name = [...path, ...(member === undefined ? [] : [member])].join('.');
  const kind = type === 'parameter' ? 'Parameter' : 'Field';
  if (missing !== undefined) return { message: `${kind} '${name}' is missing.`, target: { type, name } };
  const whole = type === 'parameter' ? 'The query' : 'The body';
  const subject = path.length === 0 ? whole : `${kind} '${path.join('.')}'`;
  return { message: `${subject} ${message}.`, ...(name === '' ? {} : { target: { type, name } }) };
}

async function runWithinTime(
  context: Context,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<unknown> {
  const controller = new AbortController();
  const onClose = () => controller.abort();
  context.res.once('close', onClose);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new AppError('SERVICE_UNAVAILABLE', `The request did not finish within ${timeoutMs / 1000} s.`));
      controller.abort();
    }, timeoutMs);
  });
  try {
    return await Promise.race([work(controller.signal), timeout]);
  } finally {
    clearTimeout(timer);
    context.res.removeListener('close', onClose);
  }
}

function send(context: Context, route: Route, result: unknown): void {
  const { status, body, headers } = isReply(result)
    ? result
    : { status: getDefaultStatus(route), body: result, headers: {} };
  context.status = status;
  if (route.isPage) allowPageAssets(context);
  const mediaType = (route.replies as Record<number, TSchema | undefined>)[status]?.['contentMediaType'] as
    | string
    | undefined;
  if (status !== 204) context.body = body;
  if (mediaType) context.set('Content-Type', mediaType);
  context.set(headers);
  // Koa's own `fresh` respects `Cache-Control: no-cache`, which is meant for proxies and which fetch always sends.
  if (route.hasEtag && isKnown(context.get('If-None-Match'), context.response.get('ETag'))) context.status = 304;
}
