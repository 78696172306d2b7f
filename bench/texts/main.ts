import { computeJaccard, listShingles } from '../../operators/fdedup/minhash';
import { createSimilarTexts } from '../../operators/fdedup/similar';
import { findPii } from '../../operators/pii/find';
import { type PiiKind, piiKinds } from '../../operators/pii/kinds';
import { findProfanity, prepareList } from '../../operators/profanity/find';
import { profanities } from '../../operators/profanity/words';
import { print, readNumber, readOption, runCommand } from '../support/command';
import { paragraph, sentence } from '../support/prose';
import { createRandom, type Random } from '../support/random';
import { listHeldBackTexts } from './held-back';
import { hardNegatives, createLabelledTexts, type Labelled } from './personal-data';

const usage = `usage: node dist/bench/texts/main.js [--documents N] [--rows N] [--seed N] [--only PART]

  Measures the operators pii, profanity and fdedup on generated texts: precision and recall of personal data on N documents
  (2,000) with four labelled passages and four hard negatives each, of swear words, and of near-duplicates against the exact
  similarity of every pair (2,000 texts), then memory and time of fdedup on N rows (100,000). The seed decides every text.
  With held-back sentences, it lists every error.
  --only pii, held-back, profanity, fdedup or scale measures that alone.`;

runCommand(async (argv) => {
  if (argv.includes('--help')) return print(usage);
  const seed = readNumber(argv, '--seed', 1);
  const only = readOption(argv, '--only');
  const measures: Record<string, () => void> = {
    pii: () => {
      const texts = createLabelledTexts(createRandom(seed), readNumber(argv, '--documents', 2_000));
      print(`${hardNegatives.length} hard negatives`);
      measurePii(texts, 8);
    },
    'held-back': () => measurePii(listHeldBackTexts(), 100),
    profanity: () => measureProfanity(createRandom(seed + 1)),
    fdedup: () => measureNearDuplicates(createRandom(seed + 2), 2_000),
    scale: () => measureScale(createRandom(seed + 3), readNumber(argv, '--rows', 100_000)),
  };
  for (const [name, measure] of Object.entries(measures)) if (only === undefined || only === name) measure();
  return 0;
});

interface Counts {
  right: number;
  wrong: number;
  missed: number;
}

function measurePii(texts: readonly Labelled[], shown: number): void {
  const kinds = Object.keys(piiKinds) as PiiKind[];
  const counts = new Map<PiiKind, Counts>(kinds.map((kind) => [kind, { right: 0, wrong: 0, missed: 0 }]));
  const examples = new Set<string>();
  const started = performance.now();
  let characters = 0;
  for (const { text, passages } of texts) {
    characters += text.length;
    const wanted = passages.map(({ kind, text: passage }) => `${kind}\0${passage}`);
    for (const { kind, start, end } of findPii(text, { kinds })) {
      const at = wanted.indexOf(`${kind}\0${text.slice(start, end)}`);
      if (at === -1) {
        counts.get(kind)!.wrong += 1;
        examples.add(`wrong ${kind}: ${text.slice(Math.max(0, start - 12), end + 6).replace(/\s+/g, ' ')}`);
      } else {
        counts.get(kind)!.right += 1;
        wanted.splice(at, 1);
      }
    }
    for (const value of wanted) {
      const [kind = '', passage = ''] = value.split('\0');
      counts.get(kind as PiiKind)!.missed += 1;
      examples.add(`missed ${kind}: ${passage}`);
    }
  }
  const seconds = (performance.now() - started) / 1_000;
  print(`pii: ${texts.length} documents, ${(characters / 1e6 / seconds).toFixed(1)} million characters a second`);
  for (const [kind, { right, wrong, missed }] of counts)
    print(
      `  ${kind.padEnd(14)} precision ${formatShare(right, right + wrong)}  recall ${formatShare(right, right + missed)}  of ${right + missed}`,
    );
  for (const example of [...examples].slice(0, shown)) print(`  ${example}`);
}

/** Swear words of the lists in several spellings, and words that contain or resemble them. */
function measureProfanity(random: Random): void {
  const clean = ['Scunthorpe', 'Penistone', 'assassin', 'cockpit', 'class', 'therapist', 'Essex', 'shiitake', 'Dickens', 'Arsenal',
    'Matsushita', 'cucumber', 'basement', 'hello', 'Bitche', 'Fickel', 'Hurensteiner', 'computar', 'reputación', 'disputa', 'Merdinger',
    'Conneticut', 'salutation', 'putter', 'Wichsenstein', 'shuttle', 'sheet', 'duck', 'fact', 'pitch']; // prettier-ignore
  const spellings: readonly ((word: string) => string)[] = [
    (word) => word,
    (word) => word.toUpperCase(),
    (word) => word.replace('i', '1').replace('a', '@'),
    (word) => word.replace(/(?<=^.)./, '*'),
    (word) => word.replace(/[aeiou]/, '$&$&$&$&'),
  ];
  const words = Object.values(profanities)
    .flat()
    .filter((entry) => !entry.includes(' '))
    .map((entry) => entry.replace('*', ''));
  const list = prepareList(Object.values(profanities).flat(), []);
  const counts: Counts = { right: 0, wrong: 0, missed: 0 };
  const missed = new Set<string>();
  for (const word of words)
    for (const spell of spellings) {
      const text = `${sentence(random)} ${spell(word)} ${sentence(random)}`;
      if (findProfanity(text, list).length === 0) missed.add(spell(word));
      counts[findProfanity(text, list).length > 0 ? 'right' : 'missed'] += 1;
    }
  const wrong = clean.filter((word) => findProfanity(`${sentence(random)} ${word}.`, list).length > 0);
  counts.wrong = wrong.length;
  print(
    `profanity: recall ${formatShare(counts.right, counts.right + counts.missed)} of ${counts.right + counts.missed} spellings, ${wrong.length} of ${clean.length} clean words wrong`,
  );
  if (missed.size > 0) print(`  missed: ${[...missed].slice(0, 8).join(', ')}`);
  if (wrong.length > 0) print(`  wrong: ${wrong.join(', ')}`);
}

/** Texts of about 100 words; one in three is an earlier one with some words replaced. */
function createTexts(random: Random, count: number): string[] {
  const made: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const origin = index > 0 && random.integer(0, 2) === 0 ? made[random.integer(0, index - 1)] : undefined;
    if (origin === undefined) made.push(`${index} ${paragraph(random, 6)}`);
    else {
      const words = origin.split(' ');
      for (let change = random.integer(0, 12); change > 0; change -= 1)
        words[random.integer(0, words.length - 1)] = `w${random.integer(0, 99_999)}`;
      made.push(words.join(' '));
    }
  }
  return made;
}

/** Compares each text with all earlier ones, exactly and as the operator does in the mode `mark`. */
function measureNearDuplicates(random: Random, count: number): void {
  const texts = createTexts(random, count);
  const shingles = texts.map((text) => listShingles(text, 5));
  for (const threshold of [0.5, 0.8, 0.9]) {
    const similar = createSimilarTexts({ threshold, places: 128, shingleWords: 5 });
    const counts: Counts = { right: 0, wrong: 0, missed: 0 };
    for (const [index, text] of texts.entries()) {
      const isNearDuplicate = shingles
        .slice(0, index)
        .some((other) => computeJaccard(shingles[index]!, other) >= threshold);
      const isFound = similar.add(text, '', true) !== undefined;
      if (isNearDuplicate && isFound) counts.right += 1;
      else if (isFound) counts.wrong += 1;
      else if (isNearDuplicate) counts.missed += 1;
    }
    print(
      `fdedup: threshold ${threshold}: precision ${formatShare(counts.right, counts.right + counts.wrong)}, recall ${formatShare(counts.right, counts.right + counts.missed)} of ${counts.right + counts.missed} near-duplicates among ${count} texts`,
    );
  }
}

function measureScale(random: Random, count: number): void {
  const similar = createSimilarTexts({ threshold: 0.8, places: 128, shingleWords: 5 });
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const started = performance.now();
  let found = 0;
  let spent = 0;
  // One at a time, like parts: the texts themselves are not part of the operator's memory.
  let last = paragraph(random, 20);
  for (let index = 0; index < count; index += 1) {
    const text = index % 5 === 4 ? `${last} once more` : `${index} ${paragraph(random, 20)}`;
    if (index % 5 === 3) last = text;
    const from = performance.now();
    if (similar.add(text, '', false)) found += 1;
    spent += performance.now() - from;
  }
  const mb = Math.round((process.memoryUsage().rss - before) / 1e6);
  print(
    `fdedup: ${count} rows of some ${last.split(' ').length} words: ${found} near-duplicates of ${Math.floor(count / 5)}, ${(spent / 1_000).toFixed(0)} s (${((performance.now() - started) / 1_000).toFixed(0)} s with the generator), ${mb} MB more memory`,
  );
}

function formatShare(part: number, of: number): string {
  return of === 0 ? '–' : (part / of).toFixed(3);
}
