import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { print, runCommand } from '../support/command';
import type { Random } from '../support/random';
import { type Item, readItemOptions, writeItems } from './known-items';

const usage = `usage: node dist/bench/relevance/packages.js FOLDER OUT [--most N] [--seed N]

  FOLDER   descriptions of Debian packages, unpacked: files whose names end in Translation-en, Translation-de and Translation-fr
  OUT      the collection: documents and questions.json, for npm run relevance -- OUT
  --most   packages of each language; default 400

Makes a collection for known-item search that no setting was chosen with. The documents are the long descriptions of packages, each
package in one language. Questions are the summary and the first sentence, which are not in the documents, and, where a package of
the English part is also described in German or French, its summary in that language. man-pages.js lists the other kinds.`;

const languages = ['en', 'de', 'fr'] as const;
type Language = (typeof languages)[number];
const longestText = 6_000;
const minText = 200;
const sentence = /^\p{Lu}[^.]{30,300}\.(?=\s)/u;

async function main(argv: readonly string[]): Promise<number> {
  const options = readItemOptions(argv, { name: '--most', usual: 400 });
  if (!options) return print(usage) || 2;
  const { folder, out, most, random } = options;
  const described = new Map(languages.map((language) => [language, readDescriptions(folder, language)]));
  const groups = new Map<string, Item[]>();
  const taken = new Set<string>();
  // The rarest language first: its packages are described in English as well.
  for (const language of ['de', 'fr', 'en'] as const) {
    const items = choose(described.get(language) ?? [], { language, most, random, taken });
    groups.set(language, items);
    print(`${language}: ${items.length} packages`);
  }
  const translated = (['de', 'fr'] as const).flatMap((language) => {
    const summaries = new Map((described.get(language) ?? []).map(({ name, summary }) => [name, summary]));
    return (groups.get('en') ?? []).flatMap(({ name, description, file }) => {
      const summary = summaries.get(name);
      if (summary === undefined || summary === description) return [];
      return [{ kind: `en asked in ${language}`, text: summary, relevant: [file] }];
    });
  });
  const questions = await writeItems(out, { name: 'package descriptions', groups, random, more: translated });
  return print(`${questions} questions`) || 0;
}

interface Description {
  name: string;
  summary: string;
  text: string;
}

function readDescriptions(folder: string, language: Language): Description[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(`Translation-${language}`));
  const entries = files.flatMap((file) => readFileSync(path.join(folder, file), 'utf8').split('\n\n'));
  return entries.flatMap((entry) => {
    const name = /^Package: (.+)$/m.exec(entry)?.[1];
    const [, summary, long] = /^Description-\w+: (.+)\n((?: .*\n?)+)/m.exec(entry) ?? [];
    if (name === undefined || summary === undefined || long === undefined) return [];
    // A line with a full stop only is an empty line; two blanks begin a list or an example.
    const text = long.replaceAll(/^ \.$/gm, '').replaceAll(/^ /gm, '');
    return [{ name, summary, text }];
  });
}

/** Random packages, of those that share a first sentence only one: parts of one program are described alike. */
function choose(
  descriptions: readonly Description[],
  { language, most, random, taken }: { language: Language; most: number; random: Random; taken: Set<string> },
): Item[] {
  const left = [...descriptions];
  const items: Item[] = [];
  for (; items.length < most && left.length > 0;) {
    const [next] = left.splice(random.integer(0, left.length - 1), 1);
    if (!next || taken.has(next.name)) continue;
    const first = sentence.exec(next.text.trim())?.[0] ?? '';
    const text = next.text.replaceAll(next.summary, '').replace(first, '').trim().slice(0, longestText);
    const plain = first.replaceAll(/\s+/g, ' ');
    if (plain === '' || text.length < minText || next.summary.length < 15 || taken.has(plain)) continue;
    taken.add(next.name).add(plain);
    items.push({ file: `${language}-${next.name}.md`, name: next.name, description: next.summary, first: plain, text });
  }
  return items;
}

runCommand(main);
