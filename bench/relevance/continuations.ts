import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { print, runCommand } from '../support/command';
import { splitWords } from './bm25';
import { readItemOptions } from './known-items';

const usage = `usage: node dist/bench/relevance/continuations.js FOLDER OUT [--passages N] [--seed N]

  FOLDER      manuals in HTML (*.html), in folders of any depth; or Cranfield's folder (cran.all.1400)
  OUT         the collection in the BEIR layout, for npm run relevance -- OUT
  --passages  passages; default 1,500

Makes a collection of questions that are as long as a paragraph: a claim with its reasons instead of a few words. A document is a
passage of 60 to 250 words; the question is the passage that follows it in its source, which is not in the collection. Every third
passage has a question.`;

const [minWords, maxWords] = [60, 250];

function main(argv: readonly string[]): number {
  const options = readItemOptions(argv, { name: '--passages', usual: 1_500 });
  if (!options) return print(usage) || 2;
  const { folder, out, most, random } = options;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  const texts = files.includes('cran.all.1400')
    ? readAbstracts(readFileSync(path.join(folder, 'cran.all.1400'), 'utf8'))
    : files.filter((file) => file.endsWith('.html')).flatMap((file) => readSections(path.join(folder, file)));
  const pairs = [...new Map(texts.flatMap(splitPairs).map((pair) => [pair.document, pair])).values()];
  const chosen: typeof pairs = [];
  while (chosen.length < most && pairs.length > 0) chosen.push(...pairs.splice(random.integer(0, pairs.length - 1), 1));
  const asked = chosen.flatMap(({ question }, at) => (at % 3 === 0 ? [{ _id: `q${at}`, text: question }] : []));
  mkdirSync(path.join(out, 'qrels'), { recursive: true });
  const toLines = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const documents = chosen.map(({ document }, at) => ({ _id: `d${at}`, title: '', text: document }));
  writeFileSync(path.join(out, 'corpus.jsonl'), toLines(documents));
  writeFileSync(path.join(out, 'queries.jsonl'), toLines(asked));
  const judged = asked.map(({ _id }) => `${_id}\t${_id.replace('q', 'd')}\t1\n`).join('');
  writeFileSync(path.join(out, 'qrels', 'test.tsv'), `query-id\tcorpus-id\tscore\n${judged}`);
  return print(`${chosen.length} passages, ${asked.length} questions`) || 0;
}

/** The sentences of each abstract, without its title, which it repeats. */
function readAbstracts(source: string): string[][] {
  return source.split(/^\.I /m).map((entry) => {
    const title = /^\.T\n(.*?)^\.A/ms.exec(entry)?.[1] ?? '';
    const text = (/^\.W\n(.*)/ms.exec(entry)?.[1] ?? '').replace(title, '').replaceAll(/\s+/g, ' ');
    return text.split(/(?<= \.) /);
  });
}

/** The paragraphs of each section of a page. */
function readSections(file: string): string[][] {
  const page = readFileSync(file, 'utf8').replaceAll(/<(script|style|pre)\b.*?<\/\1>/gs, ' ');
  return page
    .split(/<h[1-6]\b/)
    .map((section) => [...section.matchAll(/<p>(.*?)<\/p>/gs)].map(([, text = '']) => toText(text)));
}

function toText(html: string): string {
  const names: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'", amp: '&' };
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(lt|gt|quot|#39|#x27|amp);/g, (_, name: string) => names[name] ?? ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Neighbouring passages of whole parts; no part is in two pairs. */
function splitPairs(parts: readonly string[]): { document: string; question: string }[] {
  const passages: string[] = [];
  let open = '';
  for (const part of parts) {
    open = `${open} ${part}`.trim();
    if (splitWords(open).length < minWords) continue;
    if (splitWords(open).length <= maxWords) passages.push(open);
    open = '';
  }
  const pairs: { document: string; question: string }[] = [];
  for (let at = 0; at + 1 < passages.length; at += 2)
    pairs.push({ document: passages[at] ?? '', question: passages[at + 1] ?? '' });
  return pairs;
}

runCommand(async (argv) => Promise.resolve(main(argv)));
