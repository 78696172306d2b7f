import type { PagesOfDocuments } from '../../model/page/page-count';
import { isFinal } from '../../model/run/run';
import type { OperatorStats, RunRecord } from '../../services/run/run-record';

/** The state of the progress display. */
export interface RunProgress {
  status: RunRecord['status'];
  message: string;
  /** In the order of the flow. */
  operators: { name: string; documents: number; failed: number; pages?: PagesOfDocuments | undefined }[];
  /** Number of documents that an operator will receive from the sources. Undefined until all sources are listed. */
  expected: number | undefined;
}

/** Shows the progress of a run. `update` may be called at any rate; `say` prints a permanent line. */
export interface ProgressView {
  update(run: RunProgress): void;
  say(line: string): void;
  stop(): void;
}

/** The members of a stream that are used. */
export interface ProgressStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): boolean;
}

/**
 * On a terminal, a line per operator with bar, rate and time left. Elsewhere, a line per change, at most one per second (for pages of a
 * document, one per ten seconds), and one for the end.
 */
export function createProgressView(stream: ProgressStream, now: () => number = Date.now): ProgressView {
  return stream.isTTY ? createDrawnView(stream, now) : createLogView(stream, now);
}

/** Rates cover only this period, so that a pause is visible soon. */
const rateWindowMs = 20_000;
/** After this time, the view explains why a queued run has not started. */
const patienceMs = 10_000;
/** After this time without any change, the view says that a running run reports nothing. */
const silenceMs = 60_000;
const barLength = 24;
/** Minimum time between two logged lines, and between two that differ only in page counts. */
const linePauseMs = 1_000;
const pageLinePauseMs = 10_000;

type Samples = { at: number; done: number }[];

function createDrawnView(stream: ProgressStream, now: () => number): ProgressView {
  const samples = new Map<string, Samples>();
  const since = createSince(now);
  let drawn: string[] = [];
  const clear = () => (drawn.length > 0 ? `\u001b[${drawn.length}A\u001b[0J` : '');
  const draw = (lines: string[], before = '') => {
    const width = stream.columns ?? 120;
    const visibleLines = lines.map((line) => line.slice(0, width - 1));
    stream.write(`${clear()}${before}${visibleLines.map((line) => `${line}\n`).join('')}`);
    drawn = visibleLines;
  };
  return {
    update(run) {
      const operators = listOperators(run);
      const width = Math.max(...operators.map(({ name }) => name.length));
      const waiting = findWait(run, since(run), now());
      const lines = operators.map((operator) => {
        const rate = computeRate(samples, operator.name, { at: now(), done: operator.documents });
        const named = { ...operator, name: operator.name.padEnd(width) };
        return formatOperator(named, waiting || isFinal(run.status) ? undefined : rate);
      });
      draw([formatState(run, waiting), ...lines]);
    },
    say: (line) => draw(drawn, `${line}\n`),
    stop: () => (drawn = []),
  };
}

function createLogView(stream: ProgressStream, now: () => number): ProgressView {
  const since = createSince(now);
  let last = { text: '', counts: '', at: 0 };
  /** Text that came too soon after the last line. */
  let held: string | undefined;
  const write = (text: string, counts: string) => {
    last = { text, counts, at: now() };
    held = undefined;
    stream.write(`${text}\n`);
  };
  return {
    update(run) {
      const waiting = findWait(run, since(run), now());
      const failed = countFailed(run);
      const describe = (withPages: boolean) => {
        const facts = listOperators(run).map(
          ({ name, documents, total, pages }) =>
            `${name} ${documents}/${total ?? '?'}${withPages ? formatPages(pages) : ''}`,
        );
        if (failed > 0) facts.push(`${failed} failed`);
        if (waiting) facts.push(waiting);
        return `${run.status} ${facts.join(', ')}`.trimEnd();
      };
      const text = describe(true);
      const counts = describe(false);
      const pauseMs = counts === last.counts ? pageLinePauseMs : linePauseMs;
      if (text === last.text) held = undefined;
      else if (now() - last.at >= pauseMs) write(text, counts);
      else if (counts !== last.counts) held = counts;
    },
    say: (line) => void stream.write(`${line}\n`),
    stop() {
      if (held !== undefined) write(held, held);
    },
  };
}

/** The progress of a recorded run. */
export function buildProgress(run: RunRecord, stats: readonly OperatorStats[]): RunProgress {
  const operators = run.snapshot.flow.flow.map(({ name }) => {
    const { documents = 0, failed = 0, pages } = stats.find((candidate) => candidate.name === name) ?? {};
    return { name, documents, failed, ...(pages ? { pages } : {}) };
  });
  return { status: run.status, message: run.message, operators, expected: countExpectedDocuments(run, stats) };
}

function countExpectedDocuments(run: RunRecord, operators: readonly OperatorStats[]): number | undefined {
  const sources = run.snapshot.plan.sources.map(({ name }) => operators.find((candidate) => candidate.name === name));
  if (sources.some((stats) => !stats?.ended_at)) return undefined;
  return sources.reduce((sum, stats) => sum + (stats?.out ?? 0), 0);
}

type ShownOperator = RunProgress['operators'][number] & { total: number | undefined };

/**
 * The operators with the number of documents that each will receive: those that failed earlier in the flow do not arrive, and a
 * completed run has nothing left to do.
 */
function listOperators({ status, operators, expected }: RunProgress): ShownOperator[] {
  let failedEarlier = 0;
  return operators.map((operator) => {
    const { documents, failed, pages } = operator;
    const open = expected === undefined ? undefined : Math.max(expected - failedEarlier, documents);
    failedEarlier += failed;
    const total = status.startsWith('COMPLETED') ? documents : open;
    return { ...operator, pages: isFinal(status) ? undefined : pages, total };
  });
}

function countFailed({ operators }: RunProgress): number {
  return operators.reduce((sum, { failed }) => sum + failed, 0);
}

function formatState(run: RunProgress, waiting: string | undefined): string {
  const failed = countFailed(run);
  return [run.status, ...(failed > 0 ? [`${failed} failed`] : []), ...(waiting ? [waiting] : [])].join('  ');
}

function formatOperator(
  { name, documents: done, failed: failures, pages, total }: ShownOperator,
  rate: number | undefined,
): string {
  const failed = failures > 0 ? `  ${failures} failed` : '';
  if (total === undefined) return `${name} ${'·'.repeat(barLength)} ${done} documents${failed}`;
  // Documents being converted count by the share of their pages that is done.
  const partlyDone = pages && pages.total > 0 ? (pages.done / pages.total) * pages.documents : 0;
  const filled = total === 0 ? 0 : Math.floor((Math.min(total, done + partlyDone) / total) * barLength);
  const bar = total === 0 ? '·'.repeat(barLength) : '█'.repeat(filled) + '░'.repeat(barLength - filled);
  const isGoing = rate !== undefined && rate > 0 && done < total;
  const speed = isGoing ? `  ${rate.toFixed(1)}/s  ${Math.ceil((total - done) / rate)} s left` : '';
  return `${name} ${bar} ${done}/${total} documents${formatPages(pages)}${failed}${speed}`;
}

/** The pages of the documents that are being converted. */
function formatPages(pages: PagesOfDocuments | undefined): string {
  return pages ? ` (${pages.done}/${pages.total} pages)` : '';
}

/** Adds a sample; returns the documents per second over the recent period, undefined before the second sample. */
function computeRate(samples: Map<string, Samples>, name: string, sample: Samples[number]): number | undefined {
  const recentSamples = [...(samples.get(name) ?? []), sample].filter(({ at }) => sample.at - at <= rateWindowMs);
  samples.set(name, recentSamples);
  const [first] = recentSamples;
  if (!first || sample.at === first.at) return undefined;
  return ((sample.done - first.done) / (sample.at - first.at)) * 1_000;
}

/** When a run entered its current state and message, and when anything about it last changed. */
interface Since {
  state: number;
  change: number;
}

function createSince(now: () => number): (run: RunProgress) => Since {
  const last = { state: '', change: '' };
  const since = { state: 0, change: 0 };
  return (run) => {
    const current = { state: `${run.status} ${run.message}`, change: JSON.stringify(run) };
    for (const what of ['state', 'change'] as const) {
      if (last[what] !== current[what]) since[what] = now();
      last[what] = current[what];
    }
    return since;
  };
}

/** Why a run is waiting. A running one says so in its message, unless its worker hangs; a queued one gets a general reason. */
function findWait({ status, message }: RunProgress, since: Since, at: number): string | undefined {
  const from = `since ${formatTimeOfDay(since.state)}`;
  if (status === 'RUNNING' && message) return `${from}: ${message}`;
  if (status === 'RUNNING' && at - since.change >= silenceMs)
    return `nothing reported since ${formatTimeOfDay(since.change)}: see docloom status and docloom logs worker`;
  if (status !== 'QUEUED' && status !== 'STARTING') return undefined;
  if (at - since.state < patienceMs) return undefined;
  return `${from}: no worker has started it, or another run of this job is not finished`;
}

function formatTimeOfDay(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}
