import type { OperatorStats, RunRecord } from '../../services/run/run-record';
import { createProgressView, buildProgress } from './progress';

const stats = (name: string, change: Partial<OperatorStats> = {}): OperatorStats => ({
  name,
  type: name,
  documents: 0,
  in: 0,
  out: 0,
  failed: 0,
  skipped: 0,
  seconds: 0,
  parts: 1,
  metrics: {},
  started_at: null,
  ended_at: null,
  ...change,
});
const run = (change: Partial<RunRecord> = {}): RunRecord => ({
  job_run_id: 'r',
  job_id: 'j',
  flow_id: 'f',
  flow_name: 'f',
  project_id: null,
  owner: 'alice',
  status: 'RUNNING',
  message: '',
  warnings: [],
  metadata: {},
  created_at: '',
  started_at: '',
  ended_at: null,
  totals: { documents: 0, completed: 0, failed: 0, skipped: 0, deleted: 0, pages: 0 },
  snapshot: {
    flow: {
      flow_name: 'f',
      flow: [
        { type: 'a', name: 'ingest' },
        { type: 'b', name: 'index' },
      ],
    },
    plan: {
      sources: [{ name: 'ingest', type: 'a', inputs: [], queue: 'io' }] as never,
      stages: [],
      batchSize: 1,
      maxConcurrentBatches: 1,
      failFast: false,
    },
    plan_hash: '',
  },
  ...change,
});
const listed = stats('ingest', { documents: 40, out: 40, ended_at: '2026-01-01T00:00:00Z' });

function terminal(isTTY = true) {
  const written: string[] = [];
  let time = Date.parse('2026-01-01T12:00:00Z');
  const view = createProgressView({ isTTY, columns: 200, write: (text) => written.push(text) > 0 }, () => time);
  return { view, written, wait: (seconds: number) => (time += seconds * 1_000), last: () => written.at(-1) ?? '' };
}

test('before the sources are listed there is neither a full bar nor a total', () => {
  const { view, last } = terminal();
  view.update(buildProgress(run(), []));
  expect(last()).toContain('ingest ························ 0 documents\n');
  expect(last()).not.toMatch(/█|0\/0/);
});

test('state, failed documents and the rate of the last seconds are shown', () => {
  const { view, last, wait } = terminal();
  view.update(buildProgress(run(), [listed, stats('index')]));
  wait(10);
  view.update(buildProgress(run(), [listed, stats('index', { documents: 20, failed: 2 })]));
  expect(last()).toContain('RUNNING  2 failed\n');
  expect(last()).toContain('index  ████████████░░░░░░░░░░░░ 20/40 documents  2 failed  2.0/s  10 s left\n');
});

test('a run that has ended shows no remaining time, and a completed one no unfinished bar', () => {
  const { view, last, wait } = terminal();
  const pages = { documents: 1, done: 0, total: 3 };
  view.update(buildProgress(run(), [listed, stats('index')]));
  wait(10);
  view.update(buildProgress(run({ status: 'CANCELED' }), [listed, stats('index', { documents: 20, pages })]));
  expect(last()).toContain('index  ████████████░░░░░░░░░░░░ 20/40 documents\n');
  view.update(buildProgress(run({ status: 'COMPLETED_WITH_ERRORS' }), [listed, stats('index', { documents: 39 })]));
  expect(last()).toContain('index  ████████████████████████ 39/39 documents\n');
});

test('documents that failed in an earlier operator are not expected by the next one', () => {
  const { view, last } = terminal();
  view.update(buildProgress(run(), [{ ...listed, failed: 4 }, stats('index', { documents: 36 })]));
  expect(last()).toContain('index  ████████████████████████ 36/36 documents\n');
});

test('the pages of long documents are shown, and count in the bar', () => {
  const { view, last } = terminal();
  const pages = { documents: 4, done: 500, total: 1_000 };
  view.update(buildProgress(run(), [listed, stats('index', { documents: 18, pages })]));
  expect(last()).toContain('index  ████████████░░░░░░░░░░░░ 18/40 documents (500/1000 pages)\n');
});

test('without a terminal there is a line about pages every ten seconds, and one for documents at once', () => {
  const { view, written, wait } = terminal(false);
  for (let second = 0; second < 25; second += 1) {
    const pages = { documents: 1, done: second, total: 99 };
    view.update(buildProgress(run(), [listed, stats('index', { documents: second < 20 ? 0 : 1, pages })]));
    wait(1);
  }
  view.stop();
  expect(written).toEqual([
    'RUNNING ingest 40/40, index 0/40 (0/99 pages)\n',
    'RUNNING ingest 40/40, index 0/40 (10/99 pages)\n',
    'RUNNING ingest 40/40, index 1/40 (20/99 pages)\n',
  ]);
});

test('while a service is unavailable, the reason and the start of the outage are shown, but no remaining time', () => {
  const { view, last, wait } = terminal();
  const message = "'index' waits for a service that is unreachable. SEARCH_CONNECTION_FAILED: no answer";
  view.update(buildProgress(run(), [listed, stats('index', { documents: 10 })]));
  wait(5);
  const since = new Date(Date.parse('2026-01-01T12:00:05Z')).toTimeString().slice(0, 8);
  for (let polls = 0; polls < 3; polls += 1) {
    view.update(buildProgress(run({ message }), [listed, stats('index', { documents: 11 })]));
    wait(60);
  }
  expect(last()).toContain(`RUNNING  since ${since}: ${message}\n`);
  expect(last()).not.toContain('left');
  view.update(buildProgress(run(), [listed, stats('index', { documents: 11 })]));
  expect(last()).not.toMatch(/waits|left/);
});

test('a run that no worker picks up is explained after a while', () => {
  const { view, last, wait } = terminal();
  view.update(buildProgress(run({ status: 'QUEUED' }), []));
  expect(last()).not.toContain('no worker');
  wait(11);
  view.update(buildProgress(run({ status: 'QUEUED' }), []));
  expect(last()).toContain('no worker has started it');
});

test('a running run that reports nothing for a minute says since when and where to look', () => {
  const { view, last, wait } = terminal();
  const update = (documents: number) => view.update(buildProgress(run(), [listed, stats('index', { documents })]));
  update(10);
  wait(30);
  update(11);
  const since = new Date(Date.parse('2026-01-01T12:00:30Z')).toTimeString().slice(0, 8);
  wait(59);
  update(11);
  expect(last()).not.toContain('nothing reported');
  wait(1);
  update(11);
  expect(last()).toContain(`RUNNING  nothing reported since ${since}: see docloom status and docloom logs worker\n`);
  update(12);
  expect(last()).not.toContain('nothing reported');
});

test('messages stay above the progress display', () => {
  const { view, last } = terminal();
  view.update(buildProgress(run(), [listed]));
  view.say('Cancelling the run.');
  expect(last()).toContain('\u001b[3A\u001b[0JCancelling the run.\nRUNNING\ningest');
});

test('without a terminal there is a line for each change, with failures and reasons for waiting', () => {
  const { view, written, wait } = terminal(false);
  view.update(buildProgress(run(), []));
  wait(2);
  view.update(buildProgress(run({ message: 'waits' }), [listed, stats('index', { documents: 3, failed: 1 })]));
  view.update(buildProgress(run({ message: 'waits' }), [listed, stats('index', { documents: 3, failed: 1 })]));
  expect(written).toEqual([
    'RUNNING ingest 0/?, index 0/?\n',
    expect.stringMatching(/^RUNNING ingest 40\/40, index 3\/40, 1 failed, since \d\d:\d\d:\d\d: waits\n$/),
  ]);
});

test('without a terminal the last state of a short run is printed too', () => {
  const { view, written } = terminal(false);
  view.update({ status: 'QUEUED', message: '', operators: [], expected: undefined });
  view.update(buildProgress(run({ status: 'RUNNING' }), []));
  view.update(buildProgress(run({ status: 'COMPLETED' }), [listed, stats('index', { documents: 40 })]));
  view.stop();
  view.stop();
  expect(written).toEqual(['QUEUED\n', 'COMPLETED ingest 40/40, index 40/40\n']);
});
