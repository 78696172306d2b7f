import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { toMarkdown } from '../document/write/markdown';
import { convertBytes } from '../formats/convert';

const folder = path.join(__dirname, 'documents');
const filesBelow = (root: string) =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .toSorted();
const onDisk = filesBelow(folder);
const documents = onDisk.filter((name) => !name.endsWith('.acl.json')).toSorted();
const markdown = async (name: string) => {
  const { document } = await convertBytes({ bytes: readFileSync(path.join(folder, name)), name: path.basename(name) });
  return toMarkdown(document);
};

test('the files on the disk are those that the generator makes', () => {
  const made = mkdtempSync(path.join(os.tmpdir(), 'docloom-samples-'));
  try {
    // In a separate process, because pptxgenjs imports in a way that jest does not support.
    const script =
      "require('./scripts/build').build(); void require('./dist/samples/make').writeSamples(process.argv[1]);";
    execFileSync(process.execPath, ['-e', script, made], { cwd: path.join(__dirname, '..') });
    expect(filesBelow(made)).toEqual(onDisk);
    // The streams of a PDF depend on the zlib of Node; everything else is the same byte for byte.
    const comparable = onDisk.filter((name) => !name.endsWith('.pdf'));
    const differing = comparable.filter(
      (name) => !readFileSync(path.join(folder, name)).equals(readFileSync(path.join(made, name))),
    );
    expect(differing).toEqual([]);
  } finally {
    rmSync(made, { recursive: true });
  }
}, 30_000);

test('the documents of the collection that are not text files are those that its generator creates', () => {
  const collection = path.join(__dirname, 'relevance', 'documents');
  const made = mkdtempSync(path.join(os.tmpdir(), 'docloom-samples-'));
  try {
    const script =
      "require('./scripts/build').build(); void require('./dist/samples/relevance/make').writeDocuments(process.argv[1]);";
    execFileSync(process.execPath, ['-e', script, made], { cwd: path.join(__dirname, '..') });
    expect(filesBelow(made)).toHaveLength(7);
    for (const name of filesBelow(made).filter((value) => !value.endsWith('.pdf')))
      expect(readFileSync(path.join(collection, name)).equals(readFileSync(path.join(made, name)))).toBe(true);
  } finally {
    rmSync(made, { recursive: true });
  }
}, 30_000);

test('there are at least 12 documents of 8 formats', () => {
  expect(documents.length).toBeGreaterThanOrEqual(12);
  expect([...new Set(documents.map((name) => path.extname(name)))].toSorted()).toEqual([
    '.csv',
    '.docx',
    '.html',
    '.md',
    '.pdf',
    '.pptx',
    '.txt',
    '.xlsx',
  ]);
});

test.each(documents.filter((name) => !name.includes('protected')))('%s can be read', async (name) => {
  expect((await markdown(name)).length).toBeGreaterThan(300);
});

test('the protected PDF is refused as encrypted', async () => {
  await expect(markdown('finance/board-minutes-protected.pdf')).rejects.toMatchObject({ code: 'DOCUMENT_ENCRYPTED' });
});

test.each([
  [
    'finance/annual-report-2024.pdf',
    [
      '# Brackwater Instruments: Annual Report 2024',
      '## Key figures',
      '| Revenue (thousand euros)',
      'titanium pressure housings',
    ],
  ],
  [
    'finance/supply-contract.docx',
    ['Framework Supply Contract', '| 150 to 299', '171.50 EUR', 'portal.example.com/drawings/BW-1187'],
  ],
  ['finance/price-list-2025.xlsx', ['List prices 2025', 'TG-210-R', '2025-03-01']],
  ['public/company-profile.pptx', ['Our products', 'Repair within five working days', '| Harbour']],
  [
    'public/travel-policy.html',
    ['# Travel Policy', '| 14 to 24 hours', '[Travel expenses](https://intranet.example.com/forms/travel)'],
  ],
  ['engineering/tg-210-manual.pdf', ['## Mounting', 'Drill four holes', 'RS-485 A']],
])('%s keeps its headings, tables and links', async (name, passages) => {
  const text = await markdown(name);
  expect(passages.filter((passage) => !text.includes(passage))).toEqual([]);
});
