import type { Readable } from 'node:stream';
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { Context } from 'koa';
import type { RouteFacts } from '../../http/api';
import type { ApiOptions } from '../../services';
import type { ConversionServices } from '../services';
import type { ConversionSettings } from '../settings';

/** The input of a handler: validated parameters, the caller, and the services. The handler reads the body itself. */
export interface ConversionExchange<Params, Query> {
  params: Params;
  query: Query;
  context: Context;
  /** The scope of the caller's tasks. */
  tenant: string;
  /** True when a key or token identified the caller; see `Caller`. */
  isKnown: boolean;
  conversion: ConversionServices;
  settings: ConversionSettings;
  options: ApiOptions;
  newId: () => string;
  /** Why the process is not ready; undefined when it is. */
  unready: () => Promise<string | undefined>;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** All routes of the service, for documentation. */
  routes: readonly ConversionRoute[];
}

/** A reply. `json` is sent without a charset, as clients expect; text and streams use `type`. */
export type ConversionReply = { headers?: Readonly<Record<string, string>>; status?: number } & (
  | { json: unknown }
  | { type: string; body: string | Buffer | Readable }
);

interface Facts extends RouteFacts {
  summary: string;
  tags: readonly string[];
  /** True when the route requires a key or token, unless the service is open. */
  needsKey: boolean;
  /** Not in the OpenAPI document. */
  isHidden?: boolean;
  /** Sent with the relaxed content security policy of documentation pages. */
  isPage?: boolean;
  /** Body schemas by media type. */
  bodies?: Readonly<Record<string, TSchema>>;
  /** Schemas of successful replies by media type. */
  replies: Readonly<Record<string, TSchema>>;
  /** Error statuses besides 422 for routes with input and 401 for routes with a key. */
  refusals: readonly number[];
}

/** A route of the conversion service. */
export interface ConversionRoute extends Facts {
  params: TObject;
  query: TObject;
  handler: (exchange: ConversionExchange<unknown, unknown>) => Promise<ConversionReply>;
}

const nothing = Type.Object({});

/** Creates a route. The schemas of its parameters type the input of the handler. */
export function defineConversionRoute<P extends TObject = TObject, Q extends TObject = TObject>(
  spec: Facts & {
    params?: P;
    query?: Q;
    handler: (exchange: ConversionExchange<Static<P>, Static<Q>>) => Promise<ConversionReply> | ConversionReply;
  },
): ConversionRoute {
  const { params = nothing, query = nothing, handler, ...facts } = spec;
  return {
    ...facts,
    params,
    query,
    handler: async (exchange) => handler(exchange as ConversionExchange<Static<P>, Static<Q>>),
  };
}
