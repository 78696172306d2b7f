import type { TaskSource } from './ports';
import { getClientTaskId, findSourceName, buildReadableTaskId, computeTaskKey, getTaskWorkflowId } from './task-ids';

const file = (filename: string): TaskSource => ({ kind: 'file', key: 'k', filename, size: 1 });
const id = '6f0f9dd8-9a0b-4d29-9b2e-6f0d1c1a7c11';

test('the key of a task is always the same, and is not its id', () => {
  expect(computeTaskKey(id)).toMatch(/^[0-9a-f]{24}$/);
  expect(computeTaskKey(id)).toBe(computeTaskKey(id));
  expect(id).not.toContain(computeTaskKey(id));
  expect(computeTaskKey(computeTaskKey(id))).not.toBe(computeTaskKey(id));
});

test('workflow ids contain the first file name without its folders, and end with the key', () => {
  expect(buildReadableTaskId('convert', [file('a/b/Report 1.pdf'), file('x.docx')], 'k1')).toBe(
    'convert/Report-1.pdf/k1',
  );
  expect(buildReadableTaskId('chunk', [file('../../etc')], 'k1')).toBe('chunk/etc/k1');
  expect(buildReadableTaskId('convert', [], 'k1')).toBe('convert/unnamed/k1');
});

test('an address is shortened to its host, because path and query may be a secret link', () => {
  const url = 'https://user:word@drive.example.org/share/secret-link/report.pdf?sig=secret';
  expect(findSourceName({ kind: 'http', url, headers: {} })).toBe('drive.example.org');
  expect(findSourceName({ kind: 'http', url: 'no address: secret', headers: {} })).toBe('');
});

test('tasks of earlier versions have a single id', () => {
  expect([getClientTaskId({ _id: id }), getTaskWorkflowId({ _id: id })]).toEqual([id, id]);
  const task = { _id: 'k1', task_id: id, workflow_id: 'convert/a.pdf/k1' };
  expect([getClientTaskId(task), getTaskWorkflowId(task)]).toEqual([id, 'convert/a.pdf/k1']);
});
