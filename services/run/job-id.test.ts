import { getJobId } from './job-id';

test('the job id of my-pipeline equals that of the reference', () => {
  expect(getJobId('my-pipeline')).toBe('aec97d92-fe4a-5801-ac8b-90f274c32349');
});

test('equal names give equal ids, and names with the same slug do not', () => {
  expect(getJobId('Ärzte 2026')).toBe(getJobId('Ärzte 2026'));
  expect(getJobId('my pipeline')).not.toBe(getJobId('my-pipeline'));
});
