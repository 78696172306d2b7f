import type { Readable } from 'node:stream';
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { Context } from 'koa';
import type { RouteFacts } from '../../http/api';
import type { ApiOptions } from '../../services';
import type { ConversionServices } from '../services';
import type { ConversionSettings } from '../settings';

/** What a handler gets: the checked parameters, for whom, and what to work with. It reads the body by itself. */
export interface ConversionExchange<Params, Query> {
  params: Params;
  query: Query;
  context: Context;
  /** The scope of the caller's tasks. */
  tenant: string;
  /** Whether a key or a token told who calls; see `Caller`. */
  isKnown: boolean;
  conversion: ConversionServices;
  settings: ConversionSettings;
  options: ApiOptions;
  newId: () => string;
  /** Tells why the process cannot work at present; undefined when it can. */
  unready: () => Promise<string | undefined>;
  /** Aborts when the client goes away. */
  signal: AbortSignal;
  /** Every route of the service, for what describes them. */
  routes: readonly ConversionRoute[];
}

/** An answer. `json` is sent without a charset, as clients expect; text and streams as `type` says. */
export type ConversionReply = { headers?: Readonly<Record<string, string>>; status?: number } & (
  | { json: unknown }
  | { type: string; body: string | Buffer | Readable }
);

interface Facts extends RouteFacts {
  summary: string;
  tags: readonly string[];
  /** Whether a key or token is asked for, unless the service is open. */
  needsKey: boolean;
  /** Not in the OpenAPI document. */
  isHidden?: boolean;
  /** Sent with the relaxed content security policy of documentation pages. */
  isPage?: boolean;
  /** Schemas of the body by media type. */
  bodies?: Readonly<Record<string, TSchema>>;
  /** Schemas of the success by media type. */
  replies: Readonly<Record<string, TSchema>>;
  /** Statuses of refusals, besides 422 where something is given and 401 where a key is. */
  refusals: readonly number[];
}

/** A route of the conversion service. */
export interface ConversionRoute extends Facts {
  params: TObject;
  query: TObject;
  handler: (exchange: ConversionExchange<unknown, unknown>) => Promise<ConversionReply>;
}

const nothing = Type.Object({});

/** One route: the schemas of its parameters type what the handler gets. */
export function conversionRoute<P extends TObject = TObject, Q extends TObject = TObject>(
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
