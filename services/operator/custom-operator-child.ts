import dgram from 'node:dgram';
import dns from 'node:dns';
import Module, { createRequire } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import type { Row } from '../../model/flow/row';

/** The first message to the process: compiled code, the name of its file, and the call, if any. */
export interface ChildTask {
  file: string;
  code: string;
  /** False: all connections are blocked. */
  network: boolean;
  call?: { rows: readonly Row[]; config: Record<string, unknown>; operator: string; run: Record<string, unknown> };
}
/** Messages of the process: its definition, or progress followed by the result. */
export type ChildMessage =
  | { type: 'definition'; definition: unknown; hasRun: boolean }
  | { type: 'progress'; done: number; total?: number }
  | { type: 'result'; result: unknown }
  | { type: 'failed'; message: string; code?: string; aborted: boolean };

interface CustomModule {
  operator?: unknown;
  run?: (rows: readonly Row[], config: Record<string, unknown>, context: object) => unknown;
}

/** Loads the operator, and reports its definition or the result of the call. */
async function main(
  { file, code, call, network }: ChildTask,
  signal: AbortSignal,
  say: (message: ChildMessage) => void,
): Promise<void> {
  try {
    process.kill = refuseSignal;
    // Errors name lines of the operator's file, not of its compiled code.
    process.setSourceMapsEnabled(true);
    if (!network) closeNetwork();
    const { operator, run } = load(file, code);
    if (!call) {
      say({ type: 'definition', definition: toPlain(operator), hasRun: typeof run === 'function' });
      return;
    }
    if (typeof run !== 'function') throw new TypeError('it exports no function run');
    const progress = (done: number, total?: number) => say({ type: 'progress', done, total });
    const context = { signal, progress, operator: call.operator, run: call.run };
    say({ type: 'result', result: toPlain(await run(call.rows, call.config, context)) });
  } catch (error) {
    const message = error instanceof Error ? describeError(error, file) : String(error);
    const { code: errorCode } = Object(error) as { code?: unknown };
    say({
      type: 'failed',
      message,
      aborted: signal.aborted,
      ...(typeof errorCode === 'string' ? { code: errorCode } : {}),
    });
  }
}

/** The message of an error with the line of the operator's file where it was thrown, such as `no text (word_count.mjs:31)`. */
function describeError({ message, stack = '' }: Error, file: string): string {
  const start = stack.indexOf(`${file}:`);
  const line = start < 0 ? undefined : /^\d+/.exec(stack.slice(start + file.length + 1))?.[0];
  return line === undefined ? message : `${message} (${path.basename(file)}:${line})`;
}

/** Converts to plain JSON. Functions and symbols of a schema library cannot be sent and are not needed. */
function toPlain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** The worker runs as the same user, so its child could kill it. */
function refuseSignal(): never {
  throw Object.assign(new Error('the operator may not signal processes'), { code: 'ERR_ACCESS_DENIED' });
}

/** Blocks Node's own network access, for systems that cannot isolate the process from the network. */
function closeNetwork(): void {
  const refuse = (): never => {
    throw Object.assign(new Error('the operator has no network; it may declare permissions.network'), {
      code: 'ERR_ACCESS_DENIED',
    });
  };
  net.Socket.prototype.connect = refuse;
  net.Server.prototype.listen = refuse;
  dgram.Socket.prototype.bind = refuse;
  dgram.Socket.prototype.send = refuse;
  for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6'] as const) Object.assign(dns, { [name]: refuse });
  for (const name of ['lookup', 'resolve'] as const) Object.assign(dns.promises, { [name]: refuse });
  Object.assign(globalThis, { fetch: async () => refuse(), WebSocket: undefined });
}

/** Returns the exports of the code. Its imports are resolved from its own folder. */
function load(file: string, code: string): CustomModule {
  const operatorModule = new Module(file);
  operatorModule.filename = file;
  operatorModule.paths = createRequire(file).resolve.paths('any-package') ?? [path.dirname(file)];
  (operatorModule as unknown as { _compile(code: string, file: string): void })._compile(code, file);
  return operatorModule.exports as CustomModule;
}

function serve(): void {
  const controller = new AbortController();
  // Captured, so that the operator's code cannot send messages on this channel.
  const send = process.send?.bind(process);
  const say = (message: ChildMessage) =>
    new Promise<void>((resolve) => {
      send?.(message, () => resolve());
    });
  process.send = undefined;
  process.once('message', (task: ChildTask) => {
    process.on('message', () => controller.abort(new Error('cancelled')));
    let lastSent: Promise<void> = Promise.resolve();
    void main(task, controller.signal, (message) => {
      lastSent = say(message);
    })
      .then(() => lastSent)
      .then(() => process.exit(0));
  });
  // Without a parent process, no one reads the result.
  process.on('disconnect', () => process.exit(0));
}

if (process.send) serve();
