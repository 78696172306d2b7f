import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { iterateTexts } from '../document/all-texts';
import { convertBytes } from '../formats/convert';
import { asAppError } from '../model/errors';
import { print, readNumber, readOption, runCommand } from './support/command';
import { listFiles } from './support/files';

const usage = `usage: node dist/bench/words.js FOLDER [--only EXTENSION,…] [--below SHARE] [--diff NAME] [--json FILE]

  Converts every file below FOLDER that has a NAME.words.txt beside it (what another extractor found), and prints the share
  of those words found in the converted document, by file type. Words are compared as multisets, ignoring case. Lists
  the files whose share is below SHARE (0.9). --diff reads only the files whose name contains NAME, and prints their missing
  words.`;

interface Outcome {
  name: string;
  kind: string;
  wanted: number;
  found: number;
  missing: string[];
  error?: string;
}
const suffix = '.words.txt';

function countWords(words: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function* listWords(text: string): Generator<string> {
  for (const [word] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu))
    yield word;
}

async function compare(file: string): Promise<Outcome> {
  const wanted = countWords(listWords(readFileSync(`${file}${suffix}`, 'utf8')));
  const total = [...wanted.values()].reduce((sum, count) => sum + count, 0);
  const outcome = { name: path.basename(file), kind: path.extname(file).slice(1).toLowerCase(), wanted: total };
  try {
    const { document } = await convertBytes({ bytes: readFileSync(file), name: path.basename(file) });
    const words = countWords([...iterateTexts(document)].flatMap((text) => [...listWords(text)]));
    const missing: string[] = [];
    for (const [word, count] of wanted) {
      const lost = Math.max(0, count - (words.get(word) ?? 0));
      for (let index = 0; index < lost; index += 1) missing.push(word);
    }
    return { ...outcome, found: total - missing.length, missing };
  } catch (error) {
    const { code, message } = asAppError(error, 'CONVERSION_FAILED');
    return { ...outcome, found: 0, missing: [...wanted.keys()], error: `${code}: ${message}` };
  }
}

function computeShare({ found, wanted }: { found: number; wanted: number }): number {
  return wanted === 0 ? 1 : found / wanted;
}

function printKinds(outcomes: readonly Outcome[]): void {
  print('kind    files refused  words     found   of read files');
  for (const kind of [...new Set(outcomes.map((outcome) => outcome.kind))].toSorted()) {
    const own = outcomes.filter((outcome) => outcome.kind === kind);
    const sum = (list: readonly Outcome[]) => ({
      found: list.reduce((total, { found }) => total + found, 0),
      wanted: list.reduce((total, { wanted }) => total + wanted, 0),
    });
    const read = own.filter(({ error }) => error === undefined);
    const cells = [kind.padEnd(6), String(own.length).padStart(6), String(own.length - read.length).padStart(7)];
    cells.push(String(sum(own).wanted).padStart(7), computeShare(sum(own)).toFixed(4).padStart(9));
    print(`${cells.join(' ')} ${computeShare(sum(read)).toFixed(4).padStart(9)}`);
  }
}

async function main(argv: readonly string[]): Promise<number> {
  const [folder] = argv;
  if (folder === undefined || folder.startsWith('--') || !existsSync(folder)) return print(usage, 2);
  const only = readOption(argv, '--only')?.split(',');
  const [diff, below] = [readOption(argv, '--diff'), readNumber(argv, '--below', 0.9)];
  const files = listFiles(folder).filter(
    (file) =>
      existsSync(`${file}${suffix}`) &&
      (!only || only.includes(path.extname(file).slice(1).toLowerCase())) &&
      (diff === undefined || path.basename(file).includes(diff)),
  );
  const outcomes: Outcome[] = [];
  for (const file of files) outcomes.push(await compare(file));
  for (const outcome of outcomes
    .filter((outcome) => computeShare(outcome) < below)
    .toSorted((a, b) => computeShare(a) - computeShare(b))) {
    print(
      `${computeShare(outcome).toFixed(3)} ${String(outcome.wanted - outcome.found).padStart(6)} lost  ${outcome.name}  ${outcome.error ?? ''}`,
    );
    if (diff !== undefined) print(`    ${outcome.missing.slice(0, 300).join(' ')}`);
  }
  printKinds(outcomes);
  const json = readOption(argv, '--json');
  if (json !== undefined) writeFileSync(json, JSON.stringify(outcomes, undefined, 1));
  return 0;
}

runCommand(main);
