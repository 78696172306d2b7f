import { createEmptyProgress, summarize } from './progress';

const counts = { in: 30, out: 5, failed: 25, skipped: 0, seconds: 1 };
const failure = (index: number, code: string) => ({
  id: String(index),
  name: `${index}.docx`,
  code,
  message: 'no zip',
});

test('the summary of a run without failures is one line', () => {
  const progress = createEmptyProgress();
  progress.totals = { ...progress.totals, documents: 3, completed: 2, skipped: 1 };
  expect(summarize(progress, 'r1')).toEqual(['2 of 3 documents completed, 0 failed, 1 skipped.']);
});

test('the summary counts failures by operator and code, and states where to find the names', () => {
  const progress = createEmptyProgress();
  progress.totals = { ...progress.totals, documents: 30, completed: 5, failed: 25 };
  progress.operators = { ingest: { ...counts, failed: 0 }, extract: counts };
  progress.failures = Array.from({ length: 20 }, (_none, index) =>
    failure(index, index < 15 ? 'DOCUMENT_CORRUPT' : 'DOCUMENT_ENCRYPTED'),
  );
  expect(summarize(progress, 'r1')).toEqual([
    '5 of 30 documents completed, 25 failed, 0 skipped.',
    'extract: 25 failed',
    'DOCUMENT_CORRUPT: 15 of the first 20',
    'DOCUMENT_ENCRYPTED: 5 of the first 20',
    'Names and reasons: /console/runs/r1',
    'Repeat the failed ones: POST /api/v1/job_runs/r1/rerun {"mode": "failed"}',
  ]);
});
