import type { OperatorStats, RunRecord } from '../../services/run/run-record';
import { getExitCode } from '../exit-codes';
import { formatReport, formatTable, buildReport } from './report';

const stats = (name: string): OperatorStats => ({
  name,
  type: name,
  documents: 2,
  in: 2,
  out: 1,
  failed: 1,
  skipped: 0,
  seconds: 1.25,
  parts: 1,
  metrics: {},
  started_at: null,
  ended_at: null,
});
const run: RunRecord = {
  job_run_id: 'r',
  job_id: 'j',
  flow_id: 'f',
  flow_name: 'invoices',
  project_id: null,
  owner: 'alice',
  status: 'COMPLETED_WITH_ERRORS',
  message: '',
  warnings: ['look here'],
  created_at: '2026-01-01T00:00:00.000Z',
  started_at: '2026-01-01T00:00:01.000Z',
  ended_at: '2026-01-01T00:00:03.500Z',
  totals: { documents: 2, completed: 1, failed: 1, skipped: 0, deleted: 0, pages: 3 },
  metadata: {},
  snapshot: {
    flow: {
      flow_name: 'invoices',
      flow: [
        { type: 'a', name: 'first' },
        { type: 'b', name: 'second' },
      ],
    },
    plan: { sources: [], stages: [], batchSize: 1, maxConcurrentBatches: 1, failFast: false },
    plan_hash: '',
  },
};
const failure = {
  id: 'd',
  name: 'broken.pdf',
  operator: 'first',
  code: 'DOCUMENT_CORRUPT',
  message: 'damaged',
  outcome: 'failed' as const,
};

const found = (...items: (typeof failure)[]) => ({ items, total: items.length });

test('a report lists the operators in the order of the flow and counts the seconds of the run', () => {
  const report = buildReport(run, [stats('second'), stats('first')], found(failure));
  expect(report.operators.map(({ name }) => name)).toEqual(['first', 'second']);
  expect(report.seconds).toBe(2.5);
});

test('the text names state, counts, failed documents with reasons, and warnings', () => {
  const text = formatReport(buildReport(run, [stats('first'), stats('second')], found(failure)));
  expect(text).toContain('invoices: COMPLETED_WITH_ERRORS in 2.5 s (run r)');
  expect(text).toContain('first      2    1       1        0      1.3');
  expect(text).toContain('broken.pdf (first): DOCUMENT_CORRUPT: damaged');
  expect(text).toContain('look here');
});

test('model usage is one line, summed over the operators', () => {
  const first = { ...stats('first'), metrics: { model_requests: 2, model_input_tokens: 30, model_cost: 0.5 } };
  const second = {
    ...stats('second'),
    metrics: { model_requests: 1, model_output_tokens: 4, model_answers_from_cache: 7 },
  };
  expect(formatReport(buildReport(run, [first, second], found()))).toContain(
    'models: 3 requests, 30 tokens in, 4 out, 7 answers from earlier requests, cost 0.5\n',
  );
  expect(formatReport(buildReport(run, [stats('first')], found()))).not.toContain('models:');
});

test.each([
  ['COMPLETED', 0],
  ['COMPLETED_WITH_WARNINGS', 0],
  ['COMPLETED_WITH_ERRORS', 3],
  ['FAILED', 1],
  ['CRASHED', 1],
  ['CANCELED', 130],
] as const)('%s ends the command with %i', (state, code) => {
  expect(getExitCode(state)).toBe(code);
});

test('failures that are not listed are counted, with a hint where to find them', () => {
  const report = buildReport(run, [stats('first')], { items: [failure], total: 351 });
  expect(report.failures_total).toBe(351);
  expect(formatReport(report)).toContain('  and 350 more: docloom runs r\n');
});

test('a run that no operator has worked on has no table', () => {
  const text = formatReport(buildReport(run, [], { items: [], total: 0 }));
  expect(text).not.toContain('operator  in');
  expect(text).not.toContain('\n\n\n');
});

test('a table aligns numbers at the right and words at the left', () => {
  const rows = [
    ['api', 'running', '12', '0', 'http://127.0.0.1:8080'],
    ['temporal', 'given', '-', '10', '10.0.0.1:7233'],
  ];
  expect(formatTable(['part', 'state', 'process', 'restarts', 'address'], rows)).toEqual([
    'part      state    process  restarts  address',
    '--------  -------  -------  --------  ---------------------',
    'api       running       12         0  http://127.0.0.1:8080',
    'temporal  given          -        10  10.0.0.1:7233',
  ]);
});
