import type { JobRunList } from '../../model/run/wire';
import { formatRuns } from './runs';

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
