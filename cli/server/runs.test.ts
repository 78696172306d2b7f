import type { JobRunList, JobRunReply } from '../../model/run/wire';
import { formatRun, formatRuns } from './runs';

const run = (status: string) => ({
  job_run_id: status,
  flow_name: 'f',
  user_id: 'alice',
  status,
  created_at: '2026-01-01T00:00:00.000Z',
  completed_docs: 3,
  failed_docs: 1,
  total_docs: 4,
});

test('a run that has not ended has no counts of documents', () => {
  const page = { list: [run('RUNNING'), run('COMPLETED_WITH_ERRORS')], total: 2, offset: 0 } as unknown as JobRunList;
  const rows = formatRuns(page).split('\n');
  expect(rows.find((row) => row.startsWith('RUNNING'))).toMatch(/-\s+-\s+-$/);
  expect(rows.find((row) => row.startsWith('COMPLETED_WITH_ERRORS'))).toMatch(/3\s+1\s+4$/);
});

test('a run whose names are withheld says who sees them', () => {
  const reply = {
    job_run_id: 'r1',
    flow_name: 'f',
    owner: 'alice',
    status: 'COMPLETED_WITH_ERRORS',
    message: '',
    warnings: [],
    started_at: null,
    ended_at: null,
    operators: [],
    totals: { documents: 1, completed: 0, failed: 1, skipped: 0, deleted: 0, pages: 0, withheld: 0 },
    temporal_ui: 'http://127.0.0.1:8233',
  } as unknown as JobRunReply;
  const failure = { id: '1', operator: 'extract', code: 'DOCUMENT_CORRUPT', message: 'm', outcome: 'failed' as const };
  expect(formatRun(reply, [{ ...failure, name: '(withheld)' }])).toContain('docloom runs r1 --user alice');
  expect(formatRun(reply, [{ ...failure, name: 'a.pdf' }])).not.toContain('--user');
});
