import os from 'node:os';
import { explainFailedStart } from './disk-space';

const failed = new Error('OpenSearch did not become ready.');

test('a start that fails on a full disk says that the disk is full', () => {
  // Has no free space, like a full disk.
  expect(explainFailedStart(failed, '/proc')).toMatchObject({
    code: 'EMBEDDED_SERVER_FAILED',
    message: 'Docloom cannot start: the disk of /proc is full; free at least 32 MB and start again',
    cause: failed,
  });
});

test('that also holds if the folder could not be created', () => {
  expect(explainFailedStart(failed, '/proc/none/data')).toMatchObject({ code: 'EMBEDDED_SERVER_FAILED' });
});

test('the error of another start stays, also if its disk cannot be asked', () => {
  expect(explainFailedStart(failed, os.homedir())).toBe(failed);
  expect(explainFailedStart(failed, '/none')).toBe(failed);
});

test('a folder that cannot be created for another reason is not a full disk', () => {
  const missing = Object.assign(new Error('ENOENT'), { syscall: 'mkdir', code: 'ENOENT' });
  expect(explainFailedStart(missing, '/proc/none')).toBe(missing);
  const full = Object.assign(new Error('ENOSPC'), { syscall: 'mkdir', code: 'ENOSPC' });
  expect(explainFailedStart(full, '/proc')).toMatchObject({ code: 'EMBEDDED_SERVER_FAILED' });
});
