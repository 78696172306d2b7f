import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createTimeLimit } from './time-limit';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a signal that is composed of a time limit aborts although the garbage was collected meanwhile', async () => {
  const caller = new AbortController();
  const composed = compose(caller.signal);
  composed.addEventListener('abort', () => undefined);
  for (let waited = 0; waited < 20 && !composed.aborted; waited += 1) {
    await sleep(50);
    collectGarbage();
  }
  expect(composed.reason).toMatchObject({ name: 'TimeoutError' });
});

test('a caller who leaves earlier ends the composed signal with the reason given', () => {
  const caller = new AbortController();
  const composed = compose(caller.signal);
  caller.abort(new Error('left'));
  expect(composed.reason).toEqual(new Error('left'));
});

/** Nothing but the composed signal refers to the limit. */
function compose(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, createTimeLimit(200)]);
}
