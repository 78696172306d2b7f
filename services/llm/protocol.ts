import type { Static, TSchema } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { listProblems } from '../../model/validate';
import { HostRefusal } from './attempts';
import type { ModelHost } from './host';
import type { ChatRequest } from './ports';

/** Of an answer that is not JSON, in a message. */
const maxExcerptLength = 200;

/** One chat request, independent of the protocol. */
export interface ChatCall {
  host: ModelHost;
  messages: ChatRequest['messages'];
  /** The form of the answer, when the host must enforce it. */
  schema?: { name: string; schema: Record<string, unknown> };
  temperature: number;
  maxTokens: number;
  /** Called for each piece of a streamed answer. Undefined: no streaming. */
  onText?: (piece: string) => void;
  signal: AbortSignal;
  noteAlive: () => void;
}
/** A reply of a host. Token counts are absent when the host does not report them. */
export interface ChatReply {
  text: string;
  isTruncated: boolean;
  inputTokens?: number;
  outputTokens?: number;
}

/** One embedding request. */
export interface EmbedCall {
  host: ModelHost;
  /** None of them is blank. */
  texts: readonly string[];
  dimensions?: number;
  signal: AbortSignal;
}
/** The vectors of an embedding request. */
export interface EmbedReply {
  /** One per text, in the same order. */
  vectors: number[][];
  inputTokens?: number;
}

/** The protocol of a kind of host. A call makes a single attempt and throws failures unchanged. */
export interface ModelProtocol {
  chat(call: ChatCall): Promise<ChatReply>;
  embed(call: EmbedCall): Promise<EmbedReply>;
}

/** Returns a response with status 200. Throws HostRefusal for any other status. */
export async function requireOk(url: URL, response: Response): Promise<Response> {
  if (response.status === 200) return response;
  throw new HostRefusal(url, response.status, response.headers, await response.text());
}

/** Posts JSON. Throws HostRefusal unless the status is 200. */
export async function postJson(
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
  return await requireOk(url, response);
}

/** Returns the value if it matches the schema. Throws INVALID_RESPONSE, which names the `expected` answer: `a chat`. */
export function checkValue<S extends TSchema>(schema: S, value: unknown, url: URL, expected: string): Static<S> {
  const [problem] = listProblems(schema, value);
  if (!problem) return value;
  throw new AppError(
    'INVALID_RESPONSE',
    `${url.href} did not answer with ${expected}: ${problem.pointer || '/'} ${problem.message}.`,
  );
}

/** The JSON body of a response. Throws INVALID_RESPONSE when it is not JSON. */
export async function readJson(response: Response, url: URL): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (error) {
    const start = text.replace(/\s+/g, ' ').trim().slice(0, maxExcerptLength);
    throw new AppError(
      'INVALID_RESPONSE',
      `${url.href} answered 200, but not with JSON: ${start || '(no text)'}`,
      {},
      error,
    );
  }
}

/**
 * Vectors in the order of the texts, sorted by their index or else by position. Throws INVALID_RESPONSE unless there is one per
 * text.
 */
export function orderVectors(
  data: readonly { index?: number; embedding: number[] }[],
  expected: number,
  url: URL,
): number[][] {
  const vectors: number[][] = [];
  for (const [position, { index = position, embedding }] of data.entries()) vectors[index] = embedding;
  // An index that occurs twice leaves a hole elsewhere.
  const isComplete =
    data.length === expected && vectors.length === expected && !Array.from(vectors).includes(undefined as never);
  if (isComplete) return vectors;
  throw new AppError(
    'INVALID_RESPONSE',
    `${url.href} was asked for ${expected} vectors and answered ${data.length}, or not one for each index from 0.`,
  );
}
