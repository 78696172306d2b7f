import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { print, runCommand } from '../support/command';
import type { Random } from '../support/random';
import { type Item, readItemOptions, writeItems } from './known-items';

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
const minText = 800;

async function main(argv: readonly string[]): Promise<number> {
  const options = readItemOptions(argv, { name: '--pages', usual: 250 });
  if (!options) return print(usage) || 2;
  const { folder, out, most, random } = options;
  const groups = new Map<string, Item[]>();
  for (const language of languages) {
    const pages = readPages(path.join(folder, language === 'en' ? '' : language), { language, most, random });
    groups.set(language, pages);
    print(`${language}: ${pages.length} pages`);
  }
  const questions = await writeItems(out, { name: 'manual pages', groups, random });
  return print(`${questions} questions`) || 0;
}

function readPages(
  folder: string,
  { language, most, random }: { language: string; most: number; random: Random },
): Item[] {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^man[1-8]$/.test(entry.name))
    .flatMap(({ name }) => readdirSync(path.join(folder, name)).map((file) => path.join(folder, name, file)))
    .filter((file) => file.endsWith('.gz'))
    .toSorted();
  const pages = new Map<string, Item>();
  for (; pages.size < most && files.length > 0;) {
    const [file = ''] = files.splice(random.integer(0, files.length - 1), 1);
    const page = readPage(file, language);
    if (page) pages.set(page.description, page);
  }
  return [...pages.values()];
}

/** Undefined for links to other pages, and for pages that are too short or have no description. */
function readPage(file: string, language: string): Item | undefined {
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
  if (description.length < 15 || first === '' || text.length < minText) return undefined;
  return { file: `${language}-${path.basename(file, '.gz')}.md`, name: name.trim(), description, first, text };
}

runCommand(main);
