import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { print, runCommand } from '../support/command';
import { createRandom, type Random } from '../support/random';
import { splitWords } from './bm25';

const usage = `usage: node dist/bench/relevance/man-pages.js FOLDER OUT [--pages N] [--seed N]

  FOLDER   manual pages as a system has them (/usr/share/man): man1 to man8 are English, de and fr German and French
  OUT      the collection: documents and questions.json, for npm run relevance -- OUT
  --pages  of each language; default 250

Makes a collection for known-item search that no setting was chosen with. Rules derive the questions from the pages, and take
their sentences out of the pages: the description in the list of pages (with and without a typing error), the first sentence of the text,
the name, three words that distinguish the page, and codes that occur in at most three pages. Needs groff.`;

const languages = ['en', 'de', 'fr'] as const;
const nameHeading = /^(NAME|BEZEICHNUNG|NOM)$/;
const textHeading = /^(DESCRIPTION|BESCHREIBUNG)$/;
const longestText = 6_000;
const leastText = 800;
const code = /(?<![\p{L}\p{N}_-])(?:--[a-z][a-z-]{4,}|E[A-Z]{4,}|[A-Z]+_[A-Z_]+|\d{4,})(?![\p{L}\p{N}_-])/gu;

interface Page {
  file: string;
  name: string;
  description: string;
  first: string;
  text: string;
}
interface Asked {
  kind: string;
  text: string;
  relevant: string[];
}

async function main(argv: readonly string[]): Promise<number> {
  const [folder, out] = argv;
  if (!folder || !out || folder.startsWith('--')) return print(usage) || 2;
  const getNumber = (name: string, usual: number) =>
    argv.includes(name) ? Number(argv[argv.indexOf(name) + 1]) : usual;
  const random = createRandom(getNumber('--seed', 17));
  const most = getNumber('--pages', 250);
  await mkdir(path.join(out, 'documents'), { recursive: true });
  const questions: Asked[] = [];
  for (const language of languages) {
    const pages = readPages(path.join(folder, language === 'en' ? '' : language), { language, most, random });
    for (const { file, name, text } of pages)
      await writeFile(path.join(out, 'documents', file), `# ${name}\n\n${text}\n`);
    questions.push(...getQuestions(pages, random).map((asked) => ({ ...asked, kind: `${language} ${asked.kind}` })));
    print(`${language}: ${pages.length} pages`);
  }
  const numbered = questions.map(({ relevant, ...asked }, at) => ({
    id: `q${at + 1}`,
    ...asked,
    relevant: Object.fromEntries(relevant.map((file) => [file, 1])),
  }));
  await writeFile(
    path.join(out, 'questions.json'),
    JSON.stringify({ name: 'manual pages', documents: 'documents', questions: numbered }, null, 1),
  );
  return print(`${numbered.length} questions`) || 0;
}

function readPages(
  folder: string,
  { language, most, random }: { language: string; most: number; random: Random },
): Page[] {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^man[1-8]$/.test(entry.name))
    .flatMap(({ name }) => readdirSync(path.join(folder, name)).map((file) => path.join(folder, name, file)))
    .filter((file) => file.endsWith('.gz'))
    .toSorted();
  const pages = new Map<string, Page>();
  for (; pages.size < most && files.length > 0;) {
    const [file = ''] = files.splice(random.integer(0, files.length - 1), 1);
    const page = readPage(file, language);
    if (page) pages.set(page.description, page);
  }
  return [...pages.values()];
}

/** Undefined for links to other pages, and for pages that are too short or have no description. */
function readPage(file: string, language: string): Page | undefined {
  const source = gunzipSync(readFileSync(file));
  if (source.toString('utf8', 0, 200).startsWith('.so')) return undefined;
  const printed = execFileSync('groff', ['-k', '-mandoc', '-Tutf8', '-P-cbou', '-rLL=4000n'], {
    input: source,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  // The lines at the head and foot of a page name it.
  const lines = printed
    .trim()
    .split('\n')
    .slice(1, -1)
    .map((line) => line.trimEnd());
  const sections: { heading: string; lines: string[] }[] = [];
  for (const line of lines)
    if (/^\S/.test(line)) sections.push({ heading: line, lines: [] });
    else sections.at(-1)?.lines.push(line.trim());
  const named = sections.find(({ heading }) => nameHeading.test(heading));
  const [name = '', description = ''] = (named?.lines.join(' ').trim() ?? '').split(/\s+[-–—]\s+/, 2);
  const body = sections.find(({ heading }) => textHeading.test(heading))?.lines.join('\n') ?? '';
  const first = /^[^.\n]{30,300}\.(?=\s)/.exec(body.trim())?.[0] ?? '';
  const text = sections
    .filter((section) => section !== named)
    .map(({ heading, lines: own }) => `## ${heading}\n\n${own.join('\n')}`)
    .join('\n\n')
    .replace(first, '')
    .slice(0, longestText);
  if (description.length < 15 || first === '' || text.length < leastText) return undefined;
  return { file: `${language}-${path.basename(file, '.gz')}.md`, name: name.trim(), description, first, text };
}

function getQuestions(pages: readonly Page[], random: Random): Asked[] {
  const holders = new Map<string, Set<string>>();
  for (const { file, text } of pages)
    for (const item of [...splitWords(text), ...(text.match(code) ?? [])])
      holders.set(item, (holders.get(item) ?? new Set()).add(file));
  return pages.flatMap(({ file, name, description, first, text }, at) => {
    const own = (kind: string, asked: string): Asked => ({ kind, text: asked, relevant: [file] });
    const rare = (text.match(code) ?? []).find((item) => (holders.get(item)?.size ?? 0) <= 3);
    const typo = at % 2 === 0 ? [own('typo', mistype(description, random))] : [];
    return [
      own('description', description),
      own('sentence', first),
      own('name', name.split(/,\s*/)[0] ?? name),
      own('keywords', getKeywords(text, holders, pages.length).join(' ')),
      ...typo,
      ...(rare === undefined ? [] : [{ kind: 'code', text: rare, relevant: [...(holders.get(rare) ?? [])] }]),
    ];
  });
}

/** The three words whose frequency in the page and rarity elsewhere is highest, among those that two pages have. */
function getKeywords(text: string, holders: ReadonlyMap<string, ReadonlySet<string>>, pages: number): string[] {
  const counts = new Map<string, number>();
  for (const word of splitWords(text)) if (/^\p{L}{4,}$/u.test(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weight = (word: string, count: number) => count * Math.log(pages / (holders.get(word)?.size ?? 1));
  return [...counts]
    .filter(([word]) => (holders.get(word)?.size ?? 0) > 1)
    .toSorted(([one, count], [other, more]) => weight(other, more) - weight(one, count))
    .slice(0, 3)
    .map(([word]) => word);
}

/** Two neighbouring letters of the longest word are swapped. */
function mistype(text: string, random: Random): string {
  const longest = (text.match(/\p{L}+/gu) ?? []).toSorted((one, other) => other.length - one.length)[0] ?? '';
  const at = random.integer(1, Math.max(1, longest.length - 2));
  const wrong = `${longest.slice(0, at)}${longest.charAt(at + 1)}${longest.charAt(at)}${longest.slice(at + 2)}`;
  return text.replace(longest, wrong);
}

runCommand(main);
