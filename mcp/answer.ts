import { Type } from '@sinclair/typebox';
import { ApiError } from '../client';
import { AppError } from '../model/errors';
import type { Content } from './tool';

/** Maximum characters of one answer: about 12,000 tokens, a small part of a model's context. */
const maxAnswerLength = 48_000;

/** Members of inputs that read a long text in portions. */
export const portionInput = {
  offset: Type.Optional(
    Type.Integer({ minimum: 0, default: 0, description: 'Character to start at: `next_offset` of the last portion.' }),
  ),
  max_characters: Type.Optional(Type.Integer({ minimum: 500, maximum: 40_000, default: 12_000 })),
};

/** Members of inputs that page through a list. */
export const definePage = (max: number, defaultLimit: number) => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: max, default: defaultLimit })),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: '`next_offset` of the last page.' })),
});

/** An answer of data, as JSON. */
export function toDataContent(value: object): Content[] {
  return [{ type: 'text', text: JSON.stringify(value, null, 1) }];
}

/** The offset of the next page; null on the last. */
export function getNextOffset(offset: number, returned: number, total: number): number | null {
  return returned > 0 && offset + returned < total ? offset + returned : null;
}

/** A portion of a long text, after a line of JSON that describes it and where it continues. */
export function getPortion(
  text: string,
  { offset = 0, max_characters = 12_000 }: { offset?: number; max_characters?: number },
  facts: object,
): Content[] {
  const part = text.slice(offset, offset + max_characters);
  const end = offset + part.length;
  const header = { ...facts, offset, characters: text.length, next_offset: end < text.length ? end : null };
  return [
    { type: 'text', text: JSON.stringify(header) },
    { type: 'text', text: part },
  ];
}

/** Truncates a text to `maxLength` characters and marks it as truncated. */
export function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)} […]`;
}

/** An answer whose texts together fit the limit; images do not count. */
export function fitBlocks(blocks: readonly Content[]): Content[] {
  let left = maxAnswerLength;
  return blocks.map((block) => {
    if (block.type === 'image') return block;
    const text =
      block.text.length <= left
        ? block.text
        : `${block.text.slice(0, left)}\n[The answer was cut here. Request fewer items, or page with limit and offset.]`;
    left = Math.max(0, left - block.text.length);
    return { type: 'text', text };
  });
}

/** The next step for the caller, by error code. */
const hints: Readonly<Record<string, string>> = {
  DOCUMENT_NOT_FOUND: 'Take the document_id from search_documents. You may also lack the right to read it.',
  DOCUMENT_FORM_NOT_FOUND: 'Call get_document for the whole text; page numbers come from search_documents.',
  FLOW_NOT_FOUND: 'Take the flow_id from list_flows.',
  JOB_RUN_NOT_FOUND: 'Take the run_id from list_runs.',
  GRAPH_NOT_FOUND: 'Take the graph_id from list_graphs.',
  DOCUMENT_SET_NOT_FOUND: 'Take the document_set_id from list_document_sets.',
  CONVERSION_TASK_NOT_FOUND: 'Results are removed after a while; convert the document again.',
  FORBIDDEN: 'The user you act for may not do this; ask them or an administrator.',
  UNAUTHORIZED: 'The token has expired or was revoked; log in again.',
  TOO_MANY_REQUESTS: 'Wait a little and try again.',
  SERVICE_UNAVAILABLE: 'A server is temporarily unavailable or not configured; try again later.',
  CONNECTION_ERROR: 'The server cannot be reached; is it running?',
};

/** The text of a failed call: the code, the reason, and the next step. */
export function formatError(error: unknown): string {
  if (error instanceof ApiError || error instanceof AppError) {
    const hint = hints[error.code];
    return `${error.code}: ${error.message}${hint === undefined ? '' : ` ${hint}`}`;
  }
  if (error instanceof Error && error.name === 'AbortError') return 'CANCELLED: The call was cancelled.';
  return 'INTERNAL_ERROR: The call failed; the log of the server says why.';
}
