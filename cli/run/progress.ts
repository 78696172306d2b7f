import { MultiBar, Presets, type SingleBar } from 'cli-progress';
import type { OperatorStats, RunRecord } from '../../services/run/run-record';

/** Shows a run while it goes on. `update` may be called as often as one likes. */
export interface ProgressView {
  update(run: RunRecord, operators: readonly OperatorStats[]): void;
  stop(): void;
}

/** Bars with rate and time left on a terminal, a line per change and at most one a second elsewhere. */
export function createProgressView(stream: NodeJS.WriteStream): ProgressView {
  return stream.isTTY ? bars(stream) : lines(stream);
}

/** Documents that an operator will see: what the source hands on. Unknown (0) until the source is listed. */
function expectedDocuments(run: RunRecord, operators: readonly OperatorStats[]): number {
  const sources = new Set(run.snapshot.plan.sources.map(({ name }) => name));
  return operators.filter(({ name }) => sources.has(name)).reduce((sum, { out }) => sum + out, 0);
}

function bars(stream: NodeJS.WriteStream): ProgressView {
  const multi = new MultiBar(
    {
      stream,
      hideCursor: true,
      clearOnComplete: false,
      etaBuffer: 50,
      format: '{name} {bar} {value}/{total} documents  {rate}/s  {left}',
    },
    Presets.shades_classic,
  );
  const shown = new Map<string, { bar: SingleBar; since: number }>();
  return {
    update(run, operators) {
      const expected = expectedDocuments(run, operators);
      const width = Math.max(...run.snapshot.flow.flow.map(({ name }) => name.length));
      for (const { name } of run.snapshot.flow.flow) {
        const stats = operators.find((candidate) => candidate.name === name);
        const done = stats?.documents ?? 0;
        const entry = shown.get(name) ?? {
          bar: multi.create(0, 0, { name: name.padEnd(width), rate: '-', left: '' }),
          since: Date.now(),
        };
        shown.set(name, entry);
        const rate = done / Math.max((Date.now() - entry.since) / 1_000, 0.001);
        entry.bar.setTotal(Math.max(expected, done));
        entry.bar.update(done, {
          name: name.padEnd(width),
          rate: done > 0 ? rate.toFixed(1) : '-',
          left: done > 0 && done < expected ? `${Math.ceil((expected - done) / rate)} s left` : '',
        });
      }
    },
    stop: () => multi.stop(),
  };
}

function lines(stream: NodeJS.WriteStream): ProgressView {
  let last = '';
  let at = 0;
  return {
    update(run, operators) {
      const expected = expectedDocuments(run, operators);
      const counts = run.snapshot.flow.flow.map(({ name }) => {
        const documents = operators.find((candidate) => candidate.name === name)?.documents ?? 0;
        return `${name} ${documents}/${Math.max(expected, documents)}`;
      });
      const text = `${run.status} ${counts.join(', ')}`;
      if (text === last || Date.now() - at < 1_000) return;
      last = text;
      at = Date.now();
      stream.write(`${text}\n`);
    },
    stop: () => undefined,
  };
}
