import type { TSchema } from '@sinclair/typebox';
import { BatchRequest, ConvertRequest } from '../../model/conversion/request/requests';
import { ConvertResult, PresignedResult, RemoteResult } from '../../model/conversion/task/result';
import { TaskDescriptor } from '../../model/conversion/task/task';
import { convertForm } from './body/form-schema';
import { unionReplies, zip } from './http/reply-schemas';
import { type ConversionExchange, type ConversionReply, defineConversionRoute } from './http/route';
import type { RequestKind } from './read-request';
import { toResultReply } from './result-body';
import { submitTask } from './submit';
import { waitForTask } from './wait-for-task';

type Exchange = ConversionExchange<unknown, unknown>;
const json = { 'application/json': ConvertRequest };
const form = { 'multipart/form-data': convertForm };
const resultReplies: Record<string, TSchema> = {
  'application/json': unionReplies(ConvertResult, PresignedResult, RemoteResult),
  'application/zip': zip,
};
const taskReplies = { 'application/json': TaskDescriptor };
const route = { method: 'POST', tags: ['convert'], needsKey: true, audit: 'read' } as const;
const syncRoute = { ...route, replies: resultReplies, refusals: [400, 409, 413, 415, 502, 503, 504] };
const asyncRoute = { ...route, replies: taskReplies, refusals: [400, 409, 413, 415, 503] };

/** Submits a task and waits; the reply is its result. */
export async function convertNow(
  exchange: Exchange,
  kind: RequestKind,
  sent: 'source' | 'file',
): Promise<ConversionReply> {
  const { task, headers } = await submitTask(exchange, kind, sent);
  await waitForTask(exchange, task);
  const result = await exchange.conversion.tasks.readResult(exchange.tenant, task.task_id);
  const reply = toResultReply(result, exchange.conversion.results);
  return { ...reply, headers: { ...headers, ...reply.headers } };
}

/** Submits a task; the reply is the task, with status 200 because clients accept no other success status. */
export async function convertLater(
  exchange: Exchange,
  kind: RequestKind,
  sent: 'source' | 'file',
): Promise<ConversionReply> {
  const { task, headers } = await submitTask(exchange, kind, sent);
  // Work may already have started, but clients expect every new task to be pending.
  const isNew = task.task_status === 'pending' || task.task_status === 'started';
  const visibleTask = isNew ? { ...task, task_status: 'pending', task_position: task.task_position ?? 1 } : task;
  return { json: visibleTask, headers };
}

export const convertSource = defineConversionRoute({
  ...syncRoute,
  path: '/v1/convert/source',
  summary: 'Converts documents given by URL or inside the body; returns the result.',
  bodies: json,
  handler: (exchange) => convertNow(exchange, 'convert', 'source'),
});

export const convertFile = defineConversionRoute({
  ...syncRoute,
  path: '/v1/convert/file',
  summary: 'Converts uploaded files; returns the result.',
  bodies: form,
  handler: (exchange) => convertNow(exchange, 'convert', 'file'),
});

export const convertSourceAsync = defineConversionRoute({
  ...asyncRoute,
  path: '/v1/convert/source/async',
  summary: 'Starts to convert documents given by URL or inside the body; returns a task.',
  bodies: json,
  handler: (exchange) => convertLater(exchange, 'convert', 'source'),
});

export const convertFileAsync = defineConversionRoute({
  ...asyncRoute,
  path: '/v1/convert/file/async',
  summary: 'Starts to convert uploaded files; returns a task.',
  bodies: form,
  handler: (exchange) => convertLater(exchange, 'convert', 'file'),
});

export const convertBatch = defineConversionRoute({
  ...asyncRoute,
  path: '/v1/convert/source/batch',
  summary: 'Starts to convert whole buckets; returns a task.',
  bodies: { 'application/json': BatchRequest },
  handler: (exchange) => convertLater(exchange, 'batch', 'source'),
});
