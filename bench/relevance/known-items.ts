import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createRandom, type Random } from '../support/random';
import { splitWords } from './bm25';

/** A text, and what its questions are made of: none of it but the name is left in the text. */
export interface Item {
  file: string;
  name: string;
  description: string;
  /** Its first sentence. */
  first: string;
  text: string;
}
/** A question, and the files that answer it. */
export interface Asked {
  kind: string;
  text: string;
  relevant: string[];
}

const code = /(?<![\p{L}\p{N}_-])(?:--[a-z][a-z-]{4,}|E[A-Z]{4,}|[A-Z]+_[A-Z_]+|\d{4,})(?![\p{L}\p{N}_-])/gu;

/** The arguments FOLDER and OUT, `--seed N`, and the option that limits the items; undefined if one of the folders is missing. */
export function readItemOptions(
  [folder, out, ...options]: readonly string[],
  limit: { name: string; usual: number },
): { folder: string; out: string; most: number; random: Random } | undefined {
  if (!folder || !out || folder.startsWith('--')) return undefined;
  const getNumber = (name: string, usual: number) =>
    options.includes(name) ? Number(options[options.indexOf(name) + 1]) : usual;
  return { folder, out, most: getNumber(limit.name, limit.usual), random: createRandom(getNumber('--seed', 17)) };
}

/** What a collection is made of; `more` are questions that do not follow from one item. */
interface ItemCollection {
  name: string;
  groups: ReadonlyMap<string, readonly Item[]>;
  random: Random;
  more?: readonly Asked[];
}

/** Writes a collection of known-item search. Returns the number of its questions. */
export async function writeItems(out: string, { name, groups, random, more = [] }: ItemCollection): Promise<number> {
  await mkdir(path.join(out, 'documents'), { recursive: true });
  const questions: Asked[] = [];
  for (const [group, items] of groups) {
    for (const item of items)
      await writeFile(path.join(out, 'documents', item.file), `# ${item.name}\n\n${item.text}\n`);
    questions.push(...getQuestions(items, random).map((asked) => ({ ...asked, kind: `${group} ${asked.kind}` })));
  }
  questions.push(...more);
  const numbered = questions.map(({ relevant, ...asked }, at) => ({
    id: `q${at + 1}`,
    ...asked,
    relevant: Object.fromEntries(relevant.map((file) => [file, 1])),
  }));
  await writeFile(
    path.join(out, 'questions.json'),
    JSON.stringify({ name, documents: 'documents', questions: numbered }, null, 1),
  );
  return numbered.length;
}

function getQuestions(items: readonly Item[], random: Random): Asked[] {
  const holders = new Map<string, Set<string>>();
  for (const { file, text } of items)
    for (const item of [...splitWords(text), ...(text.match(code) ?? [])])
      holders.set(item, (holders.get(item) ?? new Set()).add(file));
  // Sections of one page share its name.
  const namesakes = new Map<string, string[]>();
  for (const { file, name } of items) namesakes.set(name, [...(namesakes.get(name) ?? []), file]);
  return items.flatMap(({ file, name, description, first, text }, at) => {
    const own = (kind: string, asked: string): Asked => ({ kind, text: asked, relevant: [file] });
    const rare = (text.match(code) ?? []).find((item) => (holders.get(item)?.size ?? 0) <= 3);
    const typo = at % 2 === 0 ? [own('typo', mistype(description, random))] : [];
    return [
      own('description', description),
      own('sentence', first),
      { ...own('name', name.split(/,\s*/)[0] ?? name), relevant: namesakes.get(name) ?? [] },
      own('keywords', getKeywords(text, holders, items.length).join(' ')),
      ...typo,
      ...(rare === undefined ? [] : [{ kind: 'code', text: rare, relevant: [...(holders.get(rare) ?? [])] }]),
    ];
  });
}

/** The three words whose frequency in the text and rarity elsewhere is highest, among those that two texts have. */
function getKeywords(text: string, holders: ReadonlyMap<string, ReadonlySet<string>>, items: number): string[] {
  const counts = new Map<string, number>();
  for (const word of splitWords(text)) if (/^\p{L}{4,}$/u.test(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weight = (word: string, count: number) => count * Math.log(items / (holders.get(word)?.size ?? 1));
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
