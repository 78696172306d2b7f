import { createConvertProgress } from './progress';

function createStream(isTTY: boolean) {
  const written: string[] = [];
  let time = 0;
  const stream = { isTTY, write: (text: string | Uint8Array) => written.push(String(text)) > 0 };
  return { stream, written, now: () => time, wait: (seconds: number) => (time += seconds * 1_000) };
}

test('a log gets a line every ten seconds about a long document, and nothing about short ones', () => {
  const { stream, written, now, wait } = createStream(false);
  const progress = createConvertProgress(stream, 1, now);
  for (let done = 0; done <= 240; done += 10) {
    progress.pages('long.pdf', { done, total: 1_000 });
    wait(1);
  }
  progress.pages('long.pdf', undefined);
  progress.done();
  progress.stop();
  expect(written).toEqual(['long.pdf: 100 of 1000 pages\n', 'long.pdf: 200 of 1000 pages\n']);
});

test('documents that are read at the same time are counted together', () => {
  const { stream, written, now, wait } = createStream(false);
  const progress = createConvertProgress(stream, 2, now);
  progress.pages('a.pdf', { done: 1, total: 10 });
  wait(10);
  progress.pages('b.pdf', { done: 5, total: 30 });
  expect(written).toEqual(['2 documents: 6 of 40 pages\n']);
});
