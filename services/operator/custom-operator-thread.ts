import Module, { createRequire } from 'node:module';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { Row } from '../../model/flow/row';

/** What a thread is started with: compiled code under the name of its file, and the call when there is one. */
export interface ThreadData {
  file: string;
  code: string;
  call?: { rows: readonly Row[]; config: Record<string, unknown>; operator: string; run: Record<string, unknown> };
}
/** What a thread says: its definition, or progress and then the result. */
export type ThreadMessage =
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

async function main({ file, code, call }: ThreadData, say: (message: ThreadMessage) => void): Promise<void> {
  const controller = new AbortController();
  parentPort?.on('message', () => controller.abort(new Error('cancelled')));
  try {
    const { operator, run } = load(file, code);
    if (!call) {
      say({ type: 'definition', definition: plain(operator), hasRun: typeof run === 'function' });
      return;
    }
    if (typeof run !== 'function') throw new TypeError('it exports no function run');
    const progress = (done: number, total?: number) => say({ type: 'progress', done, total });
    const context = { signal: controller.signal, progress, operator: call.operator, run: call.run };
    say({ type: 'result', result: plain(await run(call.rows, call.config, context)) });
  } catch (error) {
    const { message, code: own } =
      error instanceof Error ? (error as Error & { code?: unknown }) : { message: String(error), code: undefined };
    say({
      type: 'failed',
      message,
      aborted: controller.signal.aborted,
      ...(typeof own === 'string' ? { code: own } : {}),
    });
  } finally {
    parentPort?.close();
  }
}

/** The exports of the code; what it imports is looked for from its own folder. */
function load(file: string, code: string): CustomModule {
  const own = new Module(file);
  own.filename = file;
  own.paths = createRequire(file).resolve.paths('any-package') ?? [path.dirname(file)];
  (own as unknown as { _compile(code: string, file: string): void })._compile(code, file);
  return own.exports as CustomModule;
}

if (parentPort) {
  const port = parentPort;
  void main(workerData as ThreadData, (message) => port.postMessage(message));
}
