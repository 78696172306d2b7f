import type { TSchema } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { listProblems } from '../../model/validate';
import { findJson } from './json';
import type { ChatRequest } from './ports';
import type { ChatReply } from './protocol';
import { omitAddedNulls } from './strict-schema';

type Messages = ChatRequest['messages'];

/** Number of corrections when the request sets none. */
const defaultRepairs = 2;
/** Characters of a wrong answer that the model sees again: a long, rambling one would mislead it. */
const maxShownAnswer = 8_000;
const maxShownProblems = 10;
/** Characters of the last answer in the error message. */
const maxQuotedAnswer = 200;

/**
 * Asks until the answer contains a JSON value that matches the schema. Each correction shows the model its answer and the
 * problem. Throws MODEL_ANSWER_INVALID after `repairs` corrections.
 */
export async function askForJson(
  request: ChatRequest & { schema: NonNullable<ChatRequest['schema']> },
  ask: (messages: Messages) => Promise<ChatReply>,
): Promise<ChatReply & { value: unknown }> {
  const repairs = request.repairs ?? defaultRepairs;
  let messages = request.messages;
  for (let attempt = 0; ; attempt++) {
    const reply = await ask(messages);
    const value = findValue(reply.text, request.schema.schema);
    const problems = value ? listProblems(request.schema.schema as unknown as TSchema, value.value) : [];
    if (value && problems.length === 0 && !(value.isMended && reply.isTruncated))
      return { ...reply, value: value.value };
    const problem = describeProblem(reply, value !== undefined, problems);
    if (attempt >= repairs) {
      const answer = reply.text.replace(/\s+/g, ' ').trim().slice(0, maxQuotedAnswer);
      throw new AppError(
        'MODEL_ANSWER_INVALID',
        `The model gave no valid answer in ${attempt + 1} attempts. ${problem} Its last answer: ${answer || '(empty)'}`,
      );
    }
    messages = [
      ...request.messages,
      { role: 'assistant', content: reply.text.slice(0, maxShownAnswer) },
      { role: 'user', content: `${problem} Answer again, with the whole JSON value and nothing else.` },
    ];
  }
}

function findValue(text: string, schema: Record<string, unknown>): ReturnType<typeof findJson> {
  const json = findJson(text);
  return json && { ...json, value: omitAddedNulls(schema, json.value) };
}

function describeProblem(
  { isTruncated }: ChatReply,
  isJson: boolean,
  problems: readonly { pointer: string; message: string }[],
): string {
  if (isTruncated) return 'The answer was cut off at the maximum length.';
  if (!isJson) return 'The answer contains no JSON object or array.';
  const list = problems.slice(0, maxShownProblems).map(({ pointer, message }) => `${pointer || '/'} ${message}`);
  return `The answer does not match the schema: ${list.join('; ')}.`;
}

/** Adds the schema to the messages as text, for hosts that do not support schemas. */
export function addSchemaText(messages: Messages, { schema }: { schema: Record<string, unknown> }): Messages {
  const words = `Answer with one JSON value that fits this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`;
  const [first, ...others] = messages;
  if (first?.role !== 'system') return [{ role: 'system', content: words }, ...messages];
  return [{ role: 'system', content: `${first.content}\n\n${words}` }, ...others];
}
