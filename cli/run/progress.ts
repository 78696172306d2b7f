import type { OperatorStats, RunRecord } from '../../services/run/run-record';

/** Shows a run while it goes on. `update` may be called as often as one likes; `say` writes a line that stays. */
export interface ProgressView {
  update(run: RunRecord, operators: readonly OperatorStats[]): void;
  say(line: string): void;
  stop(): void;
}

/** What is used of a terminal or a file. */
export interface ProgressStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): boolean;
}

/** A line per operator with bar, rate and time left on a terminal; elsewhere a line per change, at most one a second. */
export function createProgressView(stream: ProgressStream, now: () => number = Date.now): ProgressView {
  return stream.isTTY ? picture(stream, now) : log(stream, now);
}

/** Rates count what was done in this time, so that a pause shows at once. */
const rateWindowMs = 20_000;
/** A run that nobody took up for so long is explained. */
const patienceMs = 10_000;
const barLength = 24;

type Samples = { at: number; done: number }[];

function picture(stream: ProgressStream, now: () => number): ProgressView {
  const samples = new Map<string, Samples>();
  const since = createSince(now);
  let drawn: string[] = [];
  const clear = () => (drawn.length > 0 ? `\u001b[${drawn.length}A\u001b[0J` : '');
  const draw = (lines: string[], before = '') => {
    const width = stream.columns ?? 120;
    const shown = lines.map((line) => line.slice(0, width - 1));
    stream.write(`${clear()}${before}${shown.map((line) => `${line}\n`).join('')}`);
    drawn = shown;
  };
  return {
    update(run, operators) {
      const names = run.snapshot.flow.flow.map(({ name }) => name);
      const width = Math.max(...names.map((name) => name.length));
      const waiting = waitOf(run, since(run), now());
      const lines = names.map((name) => {
        const stats = operators.find((candidate) => candidate.name === name);
        const rate = rateOf(samples, name, { at: now(), done: stats?.documents ?? 0 });
        return operatorLine(name.padEnd(width), stats, expectedDocuments(run, operators), waiting ? undefined : rate);
      });
      draw([stateLine(run, operators, waiting), ...lines]);
    },
    say: (line) => draw(drawn, `${line}\n`),
    stop: () => (drawn = []),
  };
}

function log(stream: ProgressStream, now: () => number): ProgressView {
  const since = createSince(now);
  let last = '';
  let at = 0;
  return {
    update(run, operators) {
      const waiting = waitOf(run, since(run), now());
      const expected = expectedDocuments(run, operators);
      const counts = run.snapshot.flow.flow.map(({ name }) => {
        const documents = operators.find((candidate) => candidate.name === name)?.documents ?? 0;
        return `${name} ${documents}/${expected === undefined ? '?' : Math.max(expected, documents)}`;
      });
      const failed = failedOf(operators);
      const text = `${run.status} ${[...counts, ...(failed > 0 ? [`${failed} failed`] : []), ...(waiting ? [waiting] : [])].join(', ')}`;
      if (text === last || now() - at < 1_000) return;
      last = text;
      at = now();
      stream.write(`${text}\n`);
    },
    say: (line) => void stream.write(`${line}\n`),
    stop: () => undefined,
  };
}

/** Documents that an operator will see: what the sources hand on. Undefined until all of them are listed. */
function expectedDocuments(run: RunRecord, operators: readonly OperatorStats[]): number | undefined {
  const sources = run.snapshot.plan.sources.map(({ name }) => operators.find((candidate) => candidate.name === name));
  if (sources.some((stats) => !stats?.ended_at)) return undefined;
  return sources.reduce((sum, stats) => sum + (stats?.out ?? 0), 0);
}

function failedOf(operators: readonly OperatorStats[]): number {
  return operators.reduce((sum, { failed }) => sum + failed, 0);
}

function stateLine(run: RunRecord, operators: readonly OperatorStats[], waiting: string | undefined): string {
  const failed = failedOf(operators);
  return [run.status, ...(failed > 0 ? [`${failed} failed`] : []), ...(waiting ? [waiting] : [])].join('  ');
}

function operatorLine(
  name: string,
  stats: OperatorStats | undefined,
  expected: number | undefined,
  rate: number | undefined,
): string {
  const done = stats?.documents ?? 0;
  const failed = stats && stats.failed > 0 ? `  ${stats.failed} failed` : '';
  if (expected === undefined) return `${name} ${'·'.repeat(barLength)} ${done} documents${failed}`;
  const total = Math.max(expected, done);
  const filled = total === 0 ? 0 : Math.floor((done / total) * barLength);
  const bar = total === 0 ? '·'.repeat(barLength) : '█'.repeat(filled) + '░'.repeat(barLength - filled);
  const isGoing = rate !== undefined && rate > 0 && done < total;
  const speed = isGoing ? `  ${rate.toFixed(1)}/s  ${Math.ceil((total - done) / rate)} s left` : '';
  return `${name} ${bar} ${done}/${total} documents${failed}${speed}`;
}

/** Documents in a second over the last while; undefined before there are two looks at it. */
function rateOf(samples: Map<string, Samples>, name: string, sample: Samples[number]): number | undefined {
  const own = [...(samples.get(name) ?? []), sample].filter(({ at }) => sample.at - at <= rateWindowMs);
  samples.set(name, own);
  const [first] = own;
  if (!first || sample.at === first.at) return undefined;
  return ((sample.done - first.done) / (sample.at - first.at)) * 1_000;
}

/** Since when the run shows its state and message; ISO 8601 is for programs, people get the time of day. */
function createSince(now: () => number): (run: RunRecord) => number {
  let known = '';
  let at = 0;
  return ({ status, message }) => {
    if (known !== `${status} ${message}`) {
      known = `${status} ${message}`;
      at = now();
    }
    return at;
  };
}

/** What the run waits for: a running one says so in its message. */
function waitOf({ status, message }: RunRecord, since: number, at: number): string | undefined {
  const from = `since ${new Date(since).toTimeString().slice(0, 8)}`;
  if (status === 'RUNNING' && message) return `${from}: ${message}`;
  if (status !== 'QUEUED' && status !== 'STARTING') return undefined;
  if (at - since < patienceMs) return undefined;
  return `${from}: no worker has taken it up, or another run of this job is not finished`;
}
