import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { print, runCommand } from '../support/command';
import { type Item, readItemOptions, writeItems } from './known-items';

const usage = `usage: node dist/bench/relevance/sections.js FOLDER OUT [--sections N] [--seed N]

  FOLDER      sources of manuals in reStructuredText (*.rst.txt), in folders of any depth
  OUT         the collection: documents and questions.json, for npm run relevance -- OUT
  --sections  sections; default 1,200

Makes a collection for known-item search that no setting was chosen with. The documents are sections of the manuals, without their
headings and first sentences, which are questions; man-pages.js lists the other kinds.`;

const longestText = 12_000;
const minText = 400;
/** A heading and the line below it, as in "Tuples\n------". */
const heading = /^(\S.*)\n([=\-~^"'*+#])\2{2,}$/gm;
const sentence = /^[A-Z][^.\n#<>[\]|`*]*(?:\n[^.\n#<>[\]|`*]+){0,4}\.(?=\s)/m;

async function main(argv: readonly string[]): Promise<number> {
  const options = readItemOptions(argv, { name: '--sections', usual: 1_200 });
  if (!options) return print(usage) || 2;
  const { folder, out, most, random } = options;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.rst.txt'));
  const found = files.toSorted().flatMap((file) => readSections(folder, file));
  const items = new Map<string, Item>();
  for (; items.size < most && found.length > 0;) {
    const [item] = found.splice(random.integer(0, found.length - 1), 1);
    if (item) items.set(item.description, item);
  }
  const groups = new Map([['en', [...items.values()]]]);
  const questions = await writeItems(out, { name: 'sections', groups, random });
  return print(`${items.size} sections, ${questions} questions`) || 0;
}

/** The sections of a file that have a heading of several words, a first sentence and enough text. */
function readSections(folder: string, file: string): Item[] {
  const source = readFileSync(path.join(folder, file), 'utf8').replaceAll(/^\.\. .*$/gm, '');
  const headings = [...source.matchAll(heading)];
  const page = path.basename(file, '.rst.txt');
  const unique = path.join(path.dirname(file), page).replaceAll(/[^\w.-]/g, '_');
  return headings.flatMap((match, at) => {
    const body = source.slice(match.index + match[0].length, headings[at + 1]?.index);
    const plain = body
      .replaceAll(/:[\w:+-]+:`~?!?([^`<]+)(?:\s*<[^`>]*>)?`/g, '$1')
      .replaceAll(/`{1,2}([^`]+)`{1,2}_?/g, '$1');
    const description = (match[1] ?? '').replaceAll(/:[\w:+-]+:|[`*\\]/g, '').trim();
    const first = sentence.exec(plain)?.[0] ?? '';
    const text = plain.replaceAll(description, '').replace(first, '').trim().slice(0, longestText);
    if (description.split(/\s+/).length < 3 || first.length < 30 || text.length < minText) return [];
    return [{ file: `${unique}-${at}.md`, name: page, description, first: first.replaceAll(/\s+/g, ' '), text }];
  });
}

runCommand(main);
