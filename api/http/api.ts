import type { Context } from 'koa';
import type { KeyScope } from '../../model/login/wire-keys';

/** The members of a route that the router, the access log and the OpenAPI documents read, for all APIs. */
export interface RouteFacts {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In the notation of OpenAPI: `/api/v1/flows/{flow_id}`. */
  path: string;
  /** The name of the operation in the OpenAPI document; default: derived from method and path. */
  operationId?: string;
  /**
   * Whether the audit log records it: `change` before the reply, `read` within a second. Default: every method but GET is a
   * change, and GET is not recorded.
   */
  audit?: 'change' | 'read' | 'none';
  /** The scope that an API key needs. `login`: keys are refused. Default: `read` for GET, `write` for all others. */
  scope?: KeyScope | 'login';
}

/** An error response. */
export interface Refusal {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body: unknown;
  /** True for requests that are not logged, whatever their status. */
  isExpected?: boolean;
}

/** One of the APIs of this process: its routes, and the formats of bodies, replies and errors that its clients expect. */
export interface Api<R extends RouteFacts = RouteFacts> {
  routes: readonly R[];
  /** Every path under which the route is found. */
  listPaths(route: R): readonly string[];
  /** Whether this API answers requests for unknown paths. */
  owns(path: string): boolean;
  /** Checks the request, calls the handler and sends its result. `context.params` contains the path parameters. */
  answer(route: R, context: Context): Promise<void>;
  /** The reply for an error. For an unexpected error it contains only the trace id. */
  buildRefusal(error: unknown, context: Context): Refusal;
  /** Sends a refusal. */
  sendRefusal(refusal: Refusal, context: Context): void;
}

/** Sends a refusal as JSON. */
export function sendJsonRefusal({ status, headers, body }: Refusal, context: Context): void {
  context.status = status;
  context.body = body;
  context.set(headers);
}

/** The API that was requested; undefined before the router has seen the request. */
export function findApi(context: Pick<Context, 'state'>): Api | undefined {
  return context.state['api'] as Api | undefined;
}

/** The route that handles the request; undefined if there is none, or before it is known. */
export function findRoute(context: Pick<Context, 'state'>): RouteFacts | undefined {
  return context.state['route'] as RouteFacts | undefined;
}
