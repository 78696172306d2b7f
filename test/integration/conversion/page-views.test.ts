import { readFileSync } from 'node:fs';
import path from 'node:path';
import { documentToJson } from '../../../document/json/write';
import { convertBytes } from '../../../formats/convert';
import { createPageViews, type PageSource, type PageViews } from '../../../services/conversion/page-views';
import { readImageSize } from '../../../services/image/images';
import { getThreadFile } from '../../../threads/entries';

const root = path.join(__dirname, '..', '..', '..');
const { build } = require(path.join(root, 'scripts', 'build.js')) as { build: () => number };
let views: PageViews;
beforeAll(() => {
  build();
  views = createPageViews({ threadFile: getThreadFile('page', path.join(root, 'dist')), memoryMb: 256 });
});
afterAll(() => views.close());

const sample = (name: string) => new Uint8Array(readFileSync(path.join(root, 'samples', 'documents', name)));
const asker = { fairnessKey: 'alice', signal: new AbortController().signal };
const manual: PageSource = {
  key: 'manual',
  name: 'manual.pdf',
  load: async () => sample('engineering/tg-210-manual.pdf'),
};

test('a page of a PDF is a PNG with its words; pages beyond the last do not exist', async () => {
  const drawn = await views.draw(manual, 1, asker);
  expect((await readImageSize(drawn!.png)).width).toBe(1400);
  expect(drawn!.words.map(({ text }) => text).join(' ')).toContain('Tide Gauge');
  expect(await views.draw(manual, 999, asker)).toBeUndefined();
});

test('a rendered page is not rendered again, and concurrent callers share it', async () => {
  let loads = 0;
  const source = {
    ...manual,
    key: 'counted',
    load: () => {
      loads += 1;
      return manual.load();
    },
  };
  const [drawing, other] = await Promise.all([views.draw(source, 2, asker), views.draw(source, 2, asker)]);
  expect(await views.draw(source, 2, asker)).toBe(drawing);
  expect(other).toBe(drawing);
  expect(loads).toBe(1);
});

test('a format without fixed pages is not rendered; a file that is not a PDF is reported', async () => {
  const load = async () => new TextEncoder().encode('# Hello');
  expect(await views.draw({ key: 'md', name: 'a.md', load }, 1, asker)).toBeUndefined();
  const broken = views.draw({ key: 'bad', name: 'a.pdf', load }, 1, asker);
  await expect(broken).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
});

test('a stored document is returned as an overview and one text per page', async () => {
  const { document } = await convertBytes({ bytes: await manual.load(), name: manual.name });
  const load = async () => new TextEncoder().encode(documentToJson(document));
  const { overview, pages } = await views.readTexts({ key: 'json', name: 'manual.json', load }, asker);
  const {
    kind,
    pages: list,
    headings,
  } = JSON.parse(overview) as { kind: string; pages: unknown[]; headings: object[] };
  expect(kind).toBe('pages');
  expect(Object.keys(pages)).toHaveLength(list.length);
  expect(headings[0]).toMatchObject({ page: 1 });
  expect(pages['1']).toContain('Tide Gauge');
});
