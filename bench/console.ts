import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { documentToJson } from '../document/json/write';
import { convertBytes } from '../formats/convert';
import { createPageViews } from '../services/conversion/page-views';
import { getThreadFile } from '../threads/entries';
import { makeLongPdf } from './support/long-document';

/** Measures opening the console and a long document: `node dist/bench/console.js [pages]`. Needs no server. */
const pages = Number(process.argv[2] ?? 1_000);
const asker = { fairnessKey: 'bench', signal: new AbortController().signal };
async function printTime(value: string, work: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  await work();
  process.stdout.write(`${value}: ${Math.round(performance.now() - started)} ms\n`);
}

/** Bytes of everything the first screen needs, as sent to a browser that accepts Brotli. */
function measureFirstLoad(): number {
  const built = path.join(__dirname, '..', 'console');
  const page = readFileSync(path.join(built, 'index.html'), 'utf8');
  const files = [...page.matchAll(/"\/console\/(assets\/[^"]+)"/g)].map(([, file]) => file ?? '');
  return files.reduce((sum, file) => sum + statSync(path.join(built, `${file}.br`)).size, 0);
}

async function main(): Promise<void> {
  process.stdout.write(`first load: ${Math.round(measureFirstLoad() / 1000)} kB\n`);
  const pdf = await makeLongPdf(pages);
  const { document } = await convertBytes({ bytes: pdf, name: 'long.pdf' });
  const json = new TextEncoder().encode(documentToJson(document));
  process.stdout.write(`document of ${pages} pages: ${pdf.length} bytes, JSON ${json.length} bytes\n`);
  const views = createPageViews({ threadFile: getThreadFile('page'), memoryMb: 1024 });
  const stored = { key: 'json', name: 'long.json', load: async () => json.slice() };
  const original = { key: 'pdf', name: 'long.pdf', load: async () => pdf.slice() };
  await printTime('first picture, with the start of the thread', () => views.draw(original, pages, asker));
  await printTime('pages and headings, first time', () => views.readTexts(stored, asker));
  await printTime('pages and headings, again', () => views.readTexts(stored, asker));
  for (const page of [1, Math.ceil(pages / 2), pages - 1])
    await printTime(`picture of page ${page}`, () => views.draw(original, page, asker));
  await printTime('the same picture again', () => views.draw(original, pages - 1, asker));
  await views.close();
}

void main();
