import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { noisePicture } from './support/noise-picture';
import { title, writeBlocks } from './support/prose';
import { createRandom, type Random } from './support/random';
import { writeDocx } from './support/write-docx';
import { writeMarkdown } from './support/write-markdown';

/** What to generate. The seed decides every byte. */
export interface Corpus {
  docx: number;
  markdown: number;
  seed: number;
  /** Sizes of the Markdown files; default 5 to 200 KB. */
  markdownBytes?: readonly [number, number];
}

/** Describes the generated corpus in the report of a benchmark. */
export interface CorpusSizes {
  files: number;
  totalBytes: number;
  /** Characters of text before formatting, over all files. */
  characters: number;
  byFormat: Record<string, { files: number; least: number; median: number; most: number }>;
}

/** Writes the corpus to the folder, which it empties first, in ten subfolders. */
export async function generateCorpus(folder: string, corpus: Corpus): Promise<CorpusSizes> {
  await rm(folder, { recursive: true, force: true });
  const random = createRandom(corpus.seed);
  const sizes: Record<string, number[]> = {};
  let characters = 0;
  const count = corpus.docx + corpus.markdown;
  for (let index = 0; index < count; index++) {
    const format = index < corpus.docx ? 'docx' : 'md';
    const file =
      format === 'docx' ? buildDocx(random) : buildMarkdown(random, corpus.markdownBytes ?? [5_000, 200_000]);
    const name = `${String(index).padStart(5, '0')}-${title(random).toLowerCase().replace(/ /g, '-').slice(0, 40)}.${format}`;
    const target = path.join(folder, `part-${index % 10}`, name);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, file.bytes);
    characters += file.characters;
    (sizes[format] ??= []).push(file.bytes.length);
  }
  const byFormat = Object.entries(sizes).map(([format, list]) => [format, summarizeSizes(list)] as const);
  return {
    files: count,
    totalBytes: Object.values(sizes)
      .flat()
      .reduce((sum, size) => sum + size, 0),
    characters,
    byFormat: Object.fromEntries(byFormat),
  };
}

/** 2 to 40 pages of text; every third file contains a picture, as office files often do. */
function buildDocx(random: Random): { bytes: Uint8Array; characters: number } {
  const characters = Math.round(random.magnitude(6_000, 110_000));
  const blocks = writeBlocks(random, characters);
  const picture = random.chance(1 / 3) ? noisePicture(random, random.magnitude(10_000, 140_000)) : undefined;
  return { bytes: writeDocx(blocks, picture), characters };
}

function buildMarkdown(
  random: Random,
  [least, most]: readonly [number, number],
): { bytes: Uint8Array; characters: number } {
  const characters = Math.round(random.magnitude(least, most * 0.95));
  return { bytes: new TextEncoder().encode(writeMarkdown(writeBlocks(random, characters))), characters };
}

function summarizeSizes(list: readonly number[]): { files: number; least: number; median: number; most: number } {
  const sorted = list.toSorted((left, right) => left - right);
  return {
    files: sorted.length,
    least: sorted[0] ?? 0,
    median: sorted[Math.floor(sorted.length / 2)] ?? 0,
    most: sorted.at(-1) ?? 0,
  };
}

/** One line per format: `docx: 60 files, 6.1 to 180.0 KB, median 32.5 KB`. */
export function describeSizes(sizes: CorpusSizes): string[] {
  const kb = (bytes: number) => (bytes / 1_000).toFixed(1);
  return [
    `${sizes.files} documents, ${(sizes.totalBytes / 1e6).toFixed(1)} MB, ${(sizes.characters / 1e6).toFixed(2)} million characters of text`,
    ...Object.entries(sizes.byFormat).map(
      ([format, { files, least, median, most }]) =>
        `  ${format}: ${files} files, ${kb(least)} to ${kb(most)} KB, median ${kb(median)} KB`,
    ),
  ];
}

async function main([folder, docx = '60', markdown = '24', seed = '84']: string[]): Promise<void> {
  if (!folder) throw new Error('usage: node dist/bench/generate.js FOLDER [DOCX] [MARKDOWN] [SEED]');
  const sizes = await generateCorpus(folder, { docx: Number(docx), markdown: Number(markdown), seed: Number(seed) });
  process.stdout.write(`${describeSizes(sizes).join('\n')}\n`);
}

if (require.main === module) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  });
}
