import { getJobId } from './job-id';

test('the job id of my-pipeline is the one that the reference computes', () => {
  expect(getJobId('my-pipeline')).toBe('aec97d92-fe4a-5801-ac8b-90f274c32349');
});

test('equal names give equal ids and names of one slug do not', () => {
  expect(getJobId('Ärzte 2026')).toBe(getJobId('Ärzte 2026'));
  expect(getJobId('my pipeline')).not.toBe(getJobId('my-pipeline'));
});
