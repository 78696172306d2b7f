import type { WaitReport } from '../model/run/run-messages';
import { createWaitSignal } from './waits';

test('a wait is reported once to each workflow when it begins, and once when it ends', async () => {
  const sent: [string, WaitReport][] = [];
  const signal = createWaitSignal(
    ['a/part-01', 'a'],
    { operator: 'convert_document', part: '7' },
    async (id, report) => {
      sent.push([id, report]);
    },
  );
  await signal('DATABASE_UNAVAILABLE', { since: 'then', until: 'later' });
  await signal('DATABASE_UNAVAILABLE', { since: 'then', until: 'later' });
  await signal(undefined);
  await signal(undefined);
  const what = { operator: 'convert_document', part: '7' };
  const begun = { ...what, waiting: { code: 'DATABASE_UNAVAILABLE', since: 'then', until: 'later' } };
  expect(sent).toEqual([
    ['a/part-01', begun],
    ['a', begun],
    ['a/part-01', what],
    ['a', what],
  ]);
});

test('a report that did not arrive is sent again', async () => {
  let calls = 0;
  const signal = createWaitSignal(['a'], { operator: 'x', part: '' }, async () => {
    calls += 1;
    if (calls === 1) throw new Error('Temporal is unreachable');
  });
  await expect(signal('STORAGE_ERROR', { since: 'then' })).rejects.toThrow('unreachable');
  await signal('STORAGE_ERROR', { since: 'then' });
  expect(calls).toBe(2);
});

test('the end of a wait that an attempt in another process began is reported', async () => {
  const sent: WaitReport[] = [];
  const signal = createWaitSignal(['a'], { operator: 'x', part: '' }, async (_id, report) => void sent.push(report));
  await signal(undefined);
  await signal(undefined);
  expect(sent).toEqual([{ operator: 'x', part: '' }]);
});
