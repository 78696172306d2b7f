import type { Block } from '../../samples/texts';
import type { Random } from './random';

const starts = [
  'ac',
  'bal',
  'con',
  'de',
  'ex',
  'for',
  'gen',
  'har',
  'in',
  'jun',
  'kal',
  'lo',
  'man',
  'nor',
  'op',
  'pre',
  'qua',
  're',
  'sub',
  'tra',
  'un',
  'val',
  'wen',
  'za',
];
const middles = ['', 'ba', 'ci', 'do', 'fer', 'gu', 'li', 'mo', 'nu', 'pa', 'ri', 'so', 'ta', 'ver', 'wi'];
const ends = [
  'ble',
  'cy',
  'der',
  'est',
  'fied',
  'ging',
  'ion',
  'ment',
  'ness',
  'or',
  'ple',
  'rate',
  'sure',
  'ted',
  'ty',
  'ure',
];
const small = [
  'the',
  'of',
  'and',
  'to',
  'in',
  'a',
  'is',
  'for',
  'that',
  'with',
  'by',
  'on',
  'as',
  'be',
  'at',
  'from',
  'or',
  'not',
  'this',
  'which',
];
// 5,760 invented words: enough that a document compresses about as well as a real one.
const vocabulary = starts.flatMap((start) => middles.flatMap((middle) => ends.map((end) => start + middle + end)));

/** Blocks of an office document with about this many characters: headings, paragraphs, lists and tables. */
export function writeBlocks(random: Random, characters: number): Block[] {
  const blocks: Block[] = [{ heading: title(random), level: 1 }];
  let written = 0;
  while (written < characters) {
    for (const block of section(random)) {
      blocks.push(block);
      written += getLength(block);
      if (written >= characters) break;
    }
  }
  return blocks;
}

/** Some words, the first one capitalized. */
export function title(random: Random): string {
  return capital(Array.from({ length: random.integer(2, 6) }, () => longWord(random)).join(' '));
}

function section(random: Random): Block[] {
  const blocks: Block[] = [{ heading: title(random), level: random.chance(0.4) ? 2 : 3 }];
  for (let count = random.integer(1, 4); count > 0; count--)
    blocks.push({ text: paragraph(random, random.integer(3, 8)) });
  if (random.chance(0.35)) {
    blocks.push({
      ordered: random.chance(0.4),
      list: Array.from({ length: random.integer(3, 9) }, () => sentence(random)),
    });
  }
  if (random.chance(0.25)) blocks.push({ table: table(random) });
  if (random.chance(0.1))
    blocks.push({ link: title(random), url: `https://example.com/${longWord(random)}/${random.integer(1, 999)}` });
  return blocks;
}

function table(random: Random): string[][] {
  const columns = random.integer(3, 6);
  const head = Array.from({ length: columns }, () => capital(longWord(random)));
  const rows = Array.from({ length: random.integer(4, 18) }, () =>
    Array.from({ length: columns }, (_, column) =>
      column === 0
        ? title(random)
        : random.chance(0.6)
          ? (random.integer(1, 999_999) / 100).toFixed(2)
          : longWord(random),
    ),
  );
  return [head, ...rows];
}

export function paragraph(random: Random, sentences: number): string {
  return Array.from({ length: sentences }, () => sentence(random)).join(' ');
}

export function sentence(random: Random): string {
  const words = Array.from({ length: random.integer(7, 22) }, () =>
    random.chance(0.45) ? pick(random, small) : longWord(random),
  );
  return `${capital(words.join(' '))}.`;
}

/** Squared, so that some words are frequent, as in any language. */
export function longWord(random: Random): string {
  return vocabulary[Math.floor(random.next() ** 2 * vocabulary.length)] ?? 'word';
}

function pick(random: Random, list: readonly string[]): string {
  return list[Math.floor(random.next() ** 2 * list.length)] ?? '';
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function getLength(block: Block): number {
  if ('heading' in block) return block.heading.length;
  if ('text' in block) return block.text.length;
  if ('list' in block) return block.list.join(' ').length;
  if ('table' in block) return block.table.flat().join(' ').length;
  return 'link' in block ? block.link.length : 0;
}
