import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { User } from '../../model/access';
import type { ErrorCode } from '../../model/errors';
import { findGroup, type RouteGroup } from '../groups';
import type { ApiOptions, ApiServices } from '../services';
import type { RouteFacts } from './api';
import type { HeaderName } from './openapi-headers';

/** The input of a handler: the validated request, the user and the services. */
export interface Exchange<Params, Query, Body, Asker> {
  params: Params;
  query: Query;
  body: Body;
  /** The body of a route that `takesBytes`, read on demand. */
  bytes: () => Promise<Buffer>;
  user: Asker;
  /** The user as of now, for streams that outlast rights. Throws UNAUTHORIZED once the token has expired or was revoked. */
  authenticateAgain: () => Promise<User>;
  services: ApiServices;
  options: ApiOptions;
  /** All routes, for documentation routes. */
  routes: readonly Route[];
  trace: string;
  /** Aborts when the client disconnects or the request times out. */
  signal: AbortSignal;
  /** Scheme, host and port at which the client reaches this server, without a slash at the end. */
  baseUrl: string;
  /** Path and query as they were sent. */
  url: URL;
  clientAddress: string;
  /** Sets the user for the audit log, on routes without authentication. */
  actsAs: (username: string) => void;
  /** Performs the action of another route: API keys need its scope, and the audit log records it as that route. */
  asRequest: <T>(other: RouteFacts, input: { params: unknown; body?: unknown }, work: () => Promise<T>) => Promise<T>;
  /** A header of the request, by its name in any letter case; undefined when it was not sent. */
  header: (name: string) => string | undefined;
}

/**
 * Bodies by status. A string schema with `contentMediaType` is sent unchanged, everything else as JSON; with `mediaTypes` the
 * handler chooses one of them.
 */
export type Replies = Partial<Record<200 | 201 | 202 | 204 | 302 | 307 | 503, TSchema>>;

const replyMark = Symbol('reply');
/** A reply with another status or further headers than the route's usual ones. */
export interface Reply<Body = unknown> {
  [replyMark]: true;
  status: number;
  body: Body;
  headers: Record<string, string | string[]>;
}

/** Creates a reply with the status or headers that the handler chooses; by default the first status of `replies` is sent. */
export function reply<Body>(status: number, body: Body, headers: Record<string, string | string[]> = {}): Reply<Body> {
  return { [replyMark]: true, status, body, headers };
}

/** True for values created by `reply`. */
export function isReply(value: unknown): value is Reply {
  return typeof value === 'object' && value !== null && replyMark in value;
}

type BodyOf<R extends Replies> = {
  [Status in keyof R]: R[Status] extends TSchema ? Static<R[Status]> : never;
}[keyof R];
type Asker<A> = A extends 'user' ? User : undefined;

interface Facts extends RouteFacts {
  summary: string;
  description?: string;
  /** Its group in the API reference; default: that of its path. */
  group?: RouteGroup;
  /** Codes that the route may send in addition to those of every route; default: none. */
  errors?: readonly ErrorCode[];
  /** The code of a body that does not fit its schema; default VALIDATION_ERROR. */
  invalidBodyCode?: ErrorCode;
  /** The status of VALIDATION_ERROR on this route; default 400. */
  invalidStatus?: 400 | 422;
  /** Takes `If-Match` and answers PRECONDITION_FAILED where the resource has another ETag. */
  isConditional?: true;
  /** The reply has an ETag; with `If-None-Match` the route answers 304 for an unchanged resource. */
  hasEtag?: true;
  /** Headers of a successful reply in addition to those of its status and the ETag. */
  headers?: readonly HeaderName[];
  /** Takes `Idempotency-Key`. */
  isIdempotent?: true;
  /** The body is `application/octet-stream`, at most 5 MiB. */
  takesBytes?: true;
  /** Still works, but the description names a better alternative. */
  isDeprecated?: true;
  /** Sent with the relaxed content security policy of the documentation pages. */
  isPage?: boolean;
}

/** A route as the router, the OpenAPI document, the tables of `docs/` and the contract tests read it. */
export interface Route extends Facts {
  group: RouteGroup;
  auth: 'user' | 'none';
  errors: readonly ErrorCode[];
  params: TObject;
  query: TObject;
  body?: TSchema;
  /** Which of the schemas in `body` applies, if that depends on the query. */
  bodyFor?: (query: unknown) => TSchema;
  replies: Replies;
  handler: (exchange: Exchange<unknown, unknown, unknown, User | undefined>) => Promise<unknown>;
}

interface Spec<
  A extends 'user' | 'none',
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
  R extends Replies,
> extends Facts {
  /** `none` lets everybody in; default: the caller must be a user. */
  auth?: A;
  params?: P;
  query?: Q;
  body?: B;
  bodyFor?: (query: Static<Q>) => TSchema;
  replies: R;
  handler: (
    exchange: Exchange<Static<P>, Static<Q>, Static<B>, Asker<A>>,
  ) => Promise<BodyOf<R> | Reply<BodyOf<R>>> | BodyOf<R> | Reply<BodyOf<R>>;
}

const nothing = Type.Object({});

/** One route: its schemas type the handler's arguments and its result. */
export function route<
  A extends 'user' | 'none' = 'user',
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
  const R extends Replies = Replies,
>(spec: Spec<A, P, Q, B, R>): Route {
  const { auth = 'user', errors = [], params = nothing, query = nothing, handler, bodyFor, ...facts } = spec;
  return {
    ...facts,
    group: spec.group ?? findGroup(spec.path),
    auth,
    errors,
    ...(bodyFor ? { bodyFor: (value: unknown) => bodyFor(value as Static<Q>) } : {}),
    params,
    query,
    handler: async (exchange) => handler(exchange as Exchange<Static<P>, Static<Q>, Static<B>, Asker<A>>),
  };
}

/** The status that a handler's plain result is sent with. */
export function getDefaultStatus(route: Route): number {
  return Number(Object.keys(route.replies)[0]);
}

/** The key of a route in lists of examples, e.g. `get_flows_flow_id`; unique because method and path are. */
export function getRouteKey({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path
    .replace('/api/v1/', '/')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  return [method.toLowerCase(), ...(words.length > 0 ? words : ['root'])].join('_');
}
