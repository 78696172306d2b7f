import dgram from 'node:dgram';
import dns from 'node:dns';
import Module, { createRequire } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import type { Row } from '../../model/flow/row';

/** What a process is told first: compiled code under the name of its file, and the call when there is one. */
export interface ChildTask {
  file: string;
  code: string;
  /** False: nothing can be connected to. */
  network: boolean;
  call?: { rows: readonly Row[]; config: Record<string, unknown>; operator: string; run: Record<string, unknown> };
}
/** What a process says: its definition, or progress and then the result. */
export type ChildMessage =
  | { type: 'definition'; definition: unknown; hasRun: boolean }
  | { type: 'progress'; done: number; total?: number }
  | { type: 'result'; result: unknown }
  | { type: 'failed'; message: string; code?: string; aborted: boolean };

interface CustomModule {
  operator?: unknown;
  run?: (rows: readonly Row[], config: Record<string, unknown>, context: object) => unknown;
}

/** Plain JSON: functions and symbols of a schema library do not cross, and need not. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

async function main(
  { file, code, call, network }: ChildTask,
  signal: AbortSignal,
  say: (message: ChildMessage) => void,
): Promise<void> {
  try {
    process.kill = refuseSignal;
    if (!network) closeNetwork();
    const { operator, run } = load(file, code);
    if (!call) {
      say({ type: 'definition', definition: plain(operator), hasRun: typeof run === 'function' });
      return;
    }
    if (typeof run !== 'function') throw new TypeError('it exports no function run');
    const progress = (done: number, total?: number) => say({ type: 'progress', done, total });
    const context = { signal, progress, operator: call.operator, run: call.run };
    say({ type: 'result', result: plain(await run(call.rows, call.config, context)) });
  } catch (error) {
    const { message, code: own } =
      error instanceof Error ? (error as Error & { code?: unknown }) : { message: String(error), code: undefined };
    say({
      type: 'failed',
      message,
      aborted: signal.aborted,
      ...(typeof own === 'string' ? { code: own } : {}),
    });
  }
}

/** The worker has the same owner, and could be ended by its child. */
function refuseSignal(): never {
  throw Object.assign(new Error('the operator may not signal processes'), { code: 'ERR_ACCESS_DENIED' });
}

/** Where the system cannot take the network from the process, Node's own ways to it are closed. */
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

/** The exports of the code; what it imports is looked for from its own folder. */
function load(file: string, code: string): CustomModule {
  const own = new Module(file);
  own.filename = file;
  own.paths = createRequire(file).resolve.paths('any-package') ?? [path.dirname(file)];
  (own as unknown as { _compile(code: string, file: string): void })._compile(code, file);
  return own.exports as CustomModule;
}

function serve(): void {
  const controller = new AbortController();
  // Captured: the code must not speak over this channel itself.
  const send = process.send?.bind(process);
  const say = (message: ChildMessage) =>
    new Promise<void>((resolve) => {
      send?.(message, () => resolve());
    });
  process.send = undefined;
  process.once('message', (task: ChildTask) => {
    process.on('message', () => controller.abort(new Error('cancelled')));
    let last: Promise<void> = Promise.resolve();
    void main(task, controller.signal, (message) => {
      last = say(message);
    })
      .then(() => last)
      .then(() => process.exit(0));
  });
  // Without a parent nobody reads the answer.
  process.on('disconnect', () => process.exit(0));
}

if (process.send) serve();
