import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { print, runCommand } from '../support/command';
import { type Item, readItemOptions, writeItems } from './known-items';

const usage = `usage: node dist/bench/relevance/readmes.js FOLDER OUT [--most N] [--seed N]

  FOLDER   packages as npm installs them (node_modules)
  OUT      the collection: documents and questions.json, for npm run relevance -- OUT
  --most   packages; default 300

Makes a collection for known-item search that no setting was chosen with. The documents are the README files of the packages,
without the description of the package and the first sentence, which are questions; man-pages.js lists the other kinds.`;

const longestText = 12_000;
const minText = 800;
const sentence = /^[A-Z][^.\n#<>[\]|`*]{30,300}\.(?=\s)/m;

async function main(argv: readonly string[]): Promise<number> {
  const options = readItemOptions(argv, { name: '--most', usual: 300 });
  if (!options) return print(usage) || 2;
  const { folder, out, most, random } = options;
  const folders = listPackages(folder);
  const items = new Map<string, Item>();
  for (; items.size < most && folders.length > 0;) {
    const [place = ''] = folders.splice(random.integer(0, folders.length - 1), 1);
    const item = readPackage(folder, place);
    if (item) items.set(item.description, item);
  }
  const groups = new Map([['en', [...items.values()]]]);
  const questions = await writeItems(out, { name: 'packages', groups, random });
  return print(`${items.size} packages, ${questions} questions`) || 0;
}

function listPackages(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  return names
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(path.join(folder, name)).map((own) => path.join(name, own)) : [name],
    )
    .toSorted();
}

/** Undefined for packages without a description, a first sentence or enough text. */
function readPackage(folder: string, place: string): Item | undefined {
  const files = readdirSync(path.join(folder, place));
  const readme = files.find((file) => /^readme(\.md)?$/i.test(file));
  if (!readme || !files.includes('package.json')) return undefined;
  const read = (file: string) => readFileSync(path.join(folder, place, file), 'utf8');
  const { name, description = '' } = JSON.parse(read('package.json')) as { name: string; description?: string };
  const whole = read(readme);
  const first = sentence.exec(whole.replaceAll(description, ''))?.[0] ?? '';
  if (description.length < 15 || first === '') return undefined;
  const text = whole.replaceAll(description, '').replaceAll(first, '').slice(0, longestText);
  if (text.length < minText) return undefined;
  return { file: `${place.replaceAll(/[@/\\]/g, '_')}.md`, name, description, first, text };
}

runCommand(main);
