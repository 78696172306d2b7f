import { watchAnswers } from './model';

test('a model that does not answer is reported at intervals, and no longer once it has answered', async () => {
  jest.useFakeTimers();
  const lines: string[] = [];
  const watch = watchAnswers('m', (line) => void lines.push(line), 20_000);
  let answer: (text: string) => void = () => undefined;
  const asked = watch.during(new Promise<string>((resolve) => (answer = resolve)));
  jest.advanceTimersByTime(19_999);
  expect(lines).toEqual([]);
  jest.advanceTimersByTime(20_001);
  expect(lines).toEqual([
    'waiting for the model m: no answer for 20 s, 1 open request',
    'waiting for the model m: no answer for 40 s, 1 open request',
  ]);
  answer('yes');
  expect(await asked).toBe('yes');
  jest.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(2);
  watch.stop();
  jest.useRealTimers();
});
