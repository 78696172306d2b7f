import type { OcrPage } from '../model/page/ocr';
import { watchRecognition } from './unread-pages';

const nothing: OcrPage = { words: [], turned: 0, width: 10, height: 10, isUnreadable: true };
const blank: OcrPage = { words: [], turned: 0, width: 10, height: 10 };

async function readAll(pages: readonly OcrPage[]): Promise<string[]> {
  const warnings: string[] = [];
  const left = [...pages];
  const watched = watchRecognition(async () => left.shift()!, {
    name: 'scan.pdf',
    warn: (text) => warnings.push(text),
  });
  for (const [index] of pages.entries()) await watched.recognize(index + 1, new Uint8Array());
  watched.finish(pages.length);
  return warnings;
}

test('a document without any readable page fails; single unreadable pages are named', async () => {
  await expect(readAll([nothing, nothing])).rejects.toMatchObject({ code: 'TEXT_UNREADABLE' });
  expect(await readAll([blank, nothing])).toEqual([expect.stringContaining('the text of page 2 cannot be read')]);
  expect(await readAll([blank, blank])).toEqual([]);
});
