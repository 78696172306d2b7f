import type { Static, TSchema } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { problemsOf } from '../../model/validate';
import { HostRefusal } from './attempts';
import type { ModelHost } from './host';
import type { ChatRequest } from './ports';

/** One request for a chat, as every protocol needs it. */
export interface ChatCall {
  host: ModelHost;
  messages: ChatRequest['messages'];
  /** The form of the answer, where the host is to enforce it. */
  schema?: { name: string; schema: Record<string, unknown> };
  temperature: number;
  maxTokens: number;
  /** Called with each piece of an answer that is streamed; undefined asks for the answer as a whole. */
  onText?: (piece: string) => void;
  signal: AbortSignal;
  alive: () => void;
}
/** What a host said. Counts of tokens are absent where it does not tell. */
export interface ChatReply {
  text: string;
  isTruncated: boolean;
  inputTokens?: number;
  outputTokens?: number;
}

/** One request for vectors. */
export interface EmbedCall {
  host: ModelHost;
  /** None of them blank. */
  texts: readonly string[];
  dimensions?: number;
  signal: AbortSignal;
}
export interface EmbedReply {
  /** One for each text, in their order. */
  vectors: number[][];
  inputTokens?: number;
}

/** How a kind of host is spoken to. A call is one attempt; failures go up as they are. */
export interface ModelProtocol {
  chat(call: ChatCall): Promise<ChatReply>;
  embed(call: EmbedCall): Promise<EmbedReply>;
}

/** An answer as it came, or a HostRefusal where it is no success. */
export async function accepted(url: URL, response: Response): Promise<Response> {
  if (response.status === 200) return response;
  throw new HostRefusal(url, response.status, response.headers, await response.text());
}

/** Posts JSON. */
export async function post(
  fetch: typeof globalThis.fetch,
  url: URL,
  body: unknown,
  options: { headers?: Record<string, string>; signal: AbortSignal },
): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', ...options.headers },
    body: JSON.stringify(body),
    signal: options.signal,
  });
  return await accepted(url, response);
}

/** The value, checked; INVALID_RESPONSE says where it differs from `what`. */
export function checked<S extends TSchema>(schema: S, value: unknown, url: URL, what: string): Static<S> {
  const [problem] = problemsOf(schema, value);
  if (!problem) return value;
  throw new AppError(
    'INVALID_RESPONSE',
    `${url.href} answered another shape than ${what}: ${problem.pointer || '/'} ${problem.message}.`,
  );
}

/** The JSON body of an answer. */
export async function jsonOf(response: Response, url: URL): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (error) {
    const start = text.replace(/\s+/g, ' ').trim().slice(0, 200);
    throw new AppError('INVALID_RESPONSE', `${url.href} answered 200, but no JSON: ${start || '(no text)'}`, {}, error);
  }
}

/** Vectors in the order of the texts, by the index that each carries or its place; INVALID_RESPONSE unless there is one for each. */
export function ordered(
  data: readonly { index?: number; embedding: number[] }[],
  expected: number,
  url: URL,
): number[][] {
  const vectors: number[][] = [];
  for (const [position, { index = position, embedding }] of data.entries()) vectors[index] = embedding;
  const complete =
    data.length === expected && vectors.length === expected && !Array.from(vectors).includes(undefined as never);
  if (complete) return vectors;
  throw new AppError(
    'INVALID_RESPONSE',
    `${url.href} was asked for ${expected} vectors and answered ${data.length}, or not one for each index from 0.`,
  );
}
