import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { print, runCommand } from '../support/command';
import { type Item, readItemOptions, writeItems } from './known-items';

const usage = `usage: node dist/bench/relevance/applications.js FILE OUT [--most N] [--seed N]

  FILE    metadata of Debian's applications (DEP-11, Components-amd64.yml), unpacked
  OUT     the collection: documents and questions.json, for npm run relevance -- OUT
  --most  descriptions of each language; default 400

Makes a collection for known-item search that no setting was chosen with. The documents are descriptions of applications in English,
German and French, without the summary and the first sentence, which are questions; man-pages.js lists the other kinds.`;

const languages = { en: 'C', de: 'de', fr: 'fr' } as const;
const minText = 200;
const sentence = /^\p{Lu}[^.]{30,300}\.(?=\s)/u;

interface Component {
  Type?: string;
  ID?: string;
  Name?: Record<string, string>;
  Summary?: Record<string, string>;
  Description?: Record<string, string>;
}

async function main(argv: readonly string[]): Promise<number> {
  const options = readItemOptions(argv, { name: '--most', usual: 400 });
  if (!options) return print(usage) || 2;
  const { folder: file, out, most, random } = options;
  const entries = readFileSync(file, 'utf8').split(/^---$/m);
  const desktop = entries.filter(
    (entry) => /^Type: desktop-application$/m.test(entry) && /^Description:$/m.test(entry),
  );
  const components = desktop.map((entry) => parse(entry) as Component);
  const groups = new Map<string, Item[]>();
  for (const [language, key] of Object.entries(languages)) {
    const left = components.flatMap((component) => readItem(component, language, key) ?? []);
    const items = new Map<string, Item>();
    for (; items.size < most && left.length > 0;) {
      const [item] = left.splice(random.integer(0, left.length - 1), 1);
      if (item) items.set(item.description, item);
    }
    groups.set(language, [...items.values()]);
    print(`${language}: ${items.size} applications`);
  }
  const questions = await writeItems(out, { name: 'applications', groups, random });
  return print(`${questions} questions`) || 0;
}

/** Undefined for applications without a description of some length in the language. */
function readItem(
  { ID: id = '', Name, Summary, Description }: Component,
  language: string,
  key: string,
): Item | undefined {
  const [name = Name?.['C'], description, source] = [Name?.[key], Summary?.[key], Description?.[key]];
  if (name === undefined || description === undefined || source === undefined) return undefined;
  const plain = source
    .replaceAll(/<\/(?:p|li)>/g, '\n\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/[^\S\n]+/g, ' ')
    .trim();
  const first = sentence.exec(plain)?.[0] ?? '';
  const text = plain.replaceAll(description, '').replace(first, '').trim();
  if (first === '' || description.length < 15 || text.length < minText) return undefined;
  return { file: `${language}-${id.replaceAll(/[^\w.-]/g, '_')}.md`, name, description, first, text };
}

runCommand(main);
