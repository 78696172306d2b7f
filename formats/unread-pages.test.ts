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

test('figures in doubt are quoted, and words that were not read are counted', async () => {
  const figures = Array.from({ length: 12 }, (_, index) => `${index},50`);
  expect(
    await readAll([
      { ...blank, doubtful: ['405'], unread: 1 },
      { ...blank, doubtful: figures, unread: 3 },
    ]),
  ).toEqual([
    "figures on page 1 may be misread: '405'",
    'a word on page 1 could not be read',
    `figures on page 2 may be misread: ${figures
      .slice(0, 10)
      .map((text) => `'${text}'`)
      .join(', ')} and 2 more`,
    '3 words on page 2 could not be read',
  ]);
});
