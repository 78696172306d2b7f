import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../servers/free-port';
import { createSystem, type Finished, type System, until } from './system';

/** A separate conversion service: an api on a fixed port, and a worker. */
export interface ConversionSystem {
  system: System;
  url: string;
  /** Starts the api again after `killApi`. */
  startApi(): Promise<void>;
  killApi(signal: NodeJS.Signals): Promise<void>;
  /** Kills every worker; `system.startWorker` starts another. */
  killWorkers(): Promise<void>;
  send(
    method: string,
    path: string,
    init?: { json?: unknown; form?: FormData; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** Polls a task to its end. */
  finished(id: string): Promise<TaskView>;
  /** Errors that the api has logged. */
  log(): string;
  stop(): Promise<void>;
}

/** A response with its parsed body. */
export interface Answer {
  status: number;
  type: string | null;
  headers: Headers;
  text: string;
  bytes: Uint8Array;
  body: never;
}

/** The parts of a task that tests check. */
export interface TaskView {
  task_id: string;
  task_type: string;
  task_status: string;
  task_position: number | null;
  task_meta: Record<string, number> | null;
  error_message: string | null;
  failure: { category: string } | null;
}

/** Starts it; `change` overrides the environment. */
export async function startConversionSystem(change: Record<string, string> = {}): Promise<ConversionSystem> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const system = createSystem({ DOCLOOM_PORT: String(port), ...change });
  let api: Finished;
  const lines: string[] = [];
  const startApi = async () => {
    api = system.spawn(['api']);
    api.child.stderr?.on('data', (part) => lines.push(...String(part).split('\n')));
    await until('the api answers', async () => {
      if (api.child.exitCode !== null) throw new Error(`the api ended: ${(await api.result).stderr.slice(-2_000)}`);
      return (await fetch(`${url}/health`).catch(() => undefined))?.ok ?? false;
    });
  };
  const killApi = async (signal: NodeJS.Signals) => {
    api.child.kill(signal);
    await api.result;
  };
  const workers: ChildProcess[] = [];
  const startWorker: System['startWorker'] = async (own) => {
    const worker = await system.startWorker(own);
    workers.push(worker);
    return worker;
  };
  await Promise.all([startApi(), startWorker()]);
  const send: ConversionSystem['send'] = async (method, path, { json, form, headers } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      body: form ?? (json === undefined ? undefined : JSON.stringify(json)),
      headers: { ...(json === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = Buffer.from(bytes).toString('utf8');
    const type = response.headers.get('Content-Type');
    const body = (type === 'application/json' ? JSON.parse(text) : undefined) as never;
    return { status: response.status, type, headers: response.headers, text, bytes, body };
  };
  return {
    system: { ...system, startWorker },
    url,
    startApi,
    killApi,
    async killWorkers() {
      const ended = workers.splice(0).map(async (worker) => {
        const exit = once(worker, 'exit');
        worker.kill('SIGKILL');
        await exit;
      });
      await Promise.all(ended);
    },
    send,
    async finished(id) {
      for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
        const { status, body, text } = await send('GET', `/v1/status/poll/${id}?wait=20`);
        if (status !== 200) throw new Error(`poll answered ${status}: ${text}`);
        const task = body as TaskView;
        if (task.task_status === 'success' || task.task_status === 'failure') return task;
      }
      throw new Error(`the task ${id} did not end within a minute`);
    },
    log: () =>
      lines
        .filter((line) => line.includes('"level":"error"'))
        .join('\n')
        .slice(-4_000),
    async stop() {
      await killApi('SIGTERM');
      await system.stop();
    },
  };
}
