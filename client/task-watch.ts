import type { WebSocket as NodeSocket } from 'ws';
import { isFinalTask, type TaskDescriptor } from '../model/conversion/task/task';
import { ApiError } from './api-error';
import { type ConversionClientOptions, createKeyHeaders, createRefusal } from './conversion-http';
import { pause } from './retry';

const maxAttempts = 5;
const firstPauseMs = 500;

interface Message {
  message: 'connection' | 'update' | 'error';
  task?: TaskDescriptor | null;
  error?: string | null;
}

/** Yields each change of a task, the final state last. Reconnects a few times if the connection is lost. */
export async function* watchTask(
  options: ConversionClientOptions,
  taskId: string,
  signal?: AbortSignal,
): AsyncGenerator<TaskDescriptor, void, void> {
  let lastSent = '';
  for (let failures = 0; failures < maxAttempts;) {
    if (isAborted(signal)) return;
    const connection = await openWatch(options, taskId, signal);
    for await (const task of connection.tasks()) {
      failures = 0;
      const text = JSON.stringify(task);
      if (text !== lastSent) yield task;
      lastSent = text;
      if (isFinalTask(task.task_status)) return;
    }
    failures += 1;
    // Rejects only when `signal` aborts, which ends the loop.
    await pause(firstPauseMs * 2 ** failures, signal).catch(() => undefined);
  }
  throw new ApiError(
    'CONNECTION_ERROR',
    0,
    `The connection that watches task ${taskId} was lost ${maxAttempts} times.`,
  );
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}

/** Opens a WebSocket and yields the tasks that it receives until the connection ends. */
async function openWatch(options: ConversionClientOptions, taskId: string, signal?: AbortSignal) {
  const { WebSocket } = await import('ws');
  const base = options.baseUrl.replace(/^http/, 'ws').replace(/\/+$/, '');
  const socket = new WebSocket(`${base}/v1/status/ws/${encodeURIComponent(taskId)}`, {
    headers: createKeyHeaders(options),
  });
  const queue: (TaskDescriptor | Error | undefined)[] = [];
  let wake = () => {};
  const emit = (item: TaskDescriptor | Error | undefined) => {
    queue.push(item);
    wake();
  };
  listen(socket, emit);
  const stop = () => socket.terminate();
  signal?.addEventListener('abort', stop, { once: true });
  return {
    async *tasks(): AsyncGenerator<TaskDescriptor, void, void> {
      try {
        for (;;) {
          while (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
          const next = queue.shift();
          if (next === undefined) return;
          if (next instanceof Error) throw next;
          yield next;
        }
      } finally {
        signal?.removeEventListener('abort', stop);
        socket.close();
      }
    },
  };
}

function listen(socket: NodeSocket, emit: (item: TaskDescriptor | Error | undefined) => void): void {
  socket.on('message', (data) => {
    const { message, task, error } = JSON.parse((data as Buffer).toString('utf8')) as Message;
    if (message === 'error') emit(createRefusal(404, JSON.stringify({ detail: error ?? 'The watch failed.' })));
    else if (task) emit(task);
  });
  socket.on('unexpected-response', (request, response) => {
    let text = '';
    response.on('data', (part) => (text += String(part)));
    response.on('end', () => emit(createRefusal(response.statusCode ?? 0, text)));
    request.on('error', () => undefined);
  });
  // A close event follows every error and ends this connection.
  socket.on('error', () => undefined);
  socket.on('close', () => emit(undefined));
}
