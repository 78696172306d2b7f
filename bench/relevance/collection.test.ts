import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toReadableText } from '../../document/write/text';
import { convertBytes } from '../../formats/convert';
import { readCollection } from './collection';

const folder = mkdtempSync(path.join(tmpdir(), 'collection-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a title and an abstract of a BEIR collection reach the document unchanged, whatever signs they contain', async () => {
  const title = 'IL-2* and <i>p53</i> in α-synuclein_1 & TGF-β1 #3';
  const text = '1. If a<b and c>d (P<0.05), x*y*z and [1](2) follow; `q` ~~6~~ $n_1$ Ca2+ | 10^3 \\ end.';
  const lines = (...items: object[]) => items.map((item) => JSON.stringify(item)).join('\n');
  writeFileSync(path.join(folder, 'corpus.jsonl'), lines({ _id: 'd/1', title, text: `    ${text}` }));
  writeFileSync(path.join(folder, 'queries.jsonl'), lines({ _id: 'q1', text: 'p53' }, { _id: 'q2', text: 'unjudged' }));
  mkdirSync(path.join(folder, 'qrels'));
  writeFileSync(path.join(folder, 'qrels', 'test.tsv'), 'query-id\tcorpus-id\tscore\nq1\td/1\t2\nq2\td/1\t0\n');

  const { documents, questions } = readCollection(folder);
  expect(questions).toEqual([{ id: 'q1', text: 'p53', relevant: new Map([['d%2F1.md', 2]]) }]);
  const [{ file, text: markdown }] = documents as [{ file: string; text: string }];
  const { document } = await convertBytes({ bytes: new TextEncoder().encode(markdown), name: file });
  expect(toReadableText(document)).toBe(`${title}\n\n${text}`);
  expect(document.texts[0]).toMatchObject({ label: 'title', text: title });
});
