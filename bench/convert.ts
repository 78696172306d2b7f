import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { documentToJson } from '../document/json/write';
import { toMarkdown } from '../document/write/markdown';
import { convertBytes } from '../formats/convert';
import { detectFormat } from '../formats/detect';
import { createConverter } from '../services/conversion/converter';
import { getThreadFile } from '../threads/entries';
import { print, readNumber, readOption } from './support/command';
import { listFiles } from './support/files';
import { computeMedian } from './support/measure';
import { packageRoot } from './support/stack';

const usage = `usage: npm run bench:convert -- [FOLDER] [--only FORMAT,…] [--rounds N] [--jobs N] [--json FILE]

  Documents a second by format, warm, in one process, one after the other, Markdown and JSON written: of the files below
  FOLDER (or BENCH_DOCUMENTS), else of the samples. All files of a format are converted a few times, then each file until
  the engine is warm, and after that at least N times (5) and for 0.2 s; the median of these is its time. Figures are based on
  the processor time of the process, which other programs on the machine hardly affect; wall-clock time is printed as well.
  --jobs N compares one conversion thread of the product with N.
  Exits 1 when a target is missed.`;

interface Target {
  mean: number;
  median?: number;
  /** PDF counts pages. */
  unit?: 'pages';
}

/** The documents (or pages) per second that a format must reach. */
const targets: Readonly<Record<string, Target>> = {
  docx: { mean: 150, median: 300 },
  html: { mean: 300 },
  xlsx: { mean: 300 },
  pptx: { mean: 200 },
  md: { mean: 1000 },
  pdf: { mean: 60, unit: 'pages' },
};
const minMs = 200;
const warmRounds = 3;
/** The JIT compiler needs a few dozen rounds of a small document. */
const warmMs = 400;
/** All files of a format are converted before the first one is timed, for at most this long; threads convert for at least this long. */
const warmFormatMs = 8_000;
const longestFileMs = 20_000;
const threadRounds = 10;

interface Source {
  name: string;
  format: string;
  bytes: Uint8Array;
}
interface Timed extends Source {
  cpuMs: number;
  wallMs: number;
  pages: number;
}

/** Converts and writes both outputs. Returns the number of pages of the document. */
async function convert({ bytes, name }: Source): Promise<number> {
  const { document, pages } = await convertBytes({ bytes, name });
  toMarkdown(document);
  documentToJson(document);
  return pages;
}

function readSources(folder: string): Source[] {
  return listFiles(folder).flatMap((file) => {
    const name = path.basename(file);
    if (/groundtruth[\\/][^\\/]*$/.test(file) || name.startsWith('.')) return [];
    const bytes = new Uint8Array(readFileSync(file));
    const format = detectFormat({ name, head: bytes });
    return format ? [{ name: path.relative(folder, file), format: format.name, bytes }] : [];
  });
}

/**
 * Converts the files of a format in turn; otherwise the first one would be timed while the engine is still compiling.
 */
async function warm(sources: readonly Source[]): Promise<void> {
  const started = performance.now();
  for (let round = 0; round < warmRounds && performance.now() - started < warmFormatMs; round += 1)
    for (const source of sources) await convert(source).catch(() => undefined);
}

/** Processor and wall time of one conversion, the median of the rounds; undefined when the document cannot be converted. */
async function measureSource(source: Source, rounds: number): Promise<Timed | undefined> {
  const started = performance.now();
  let pages: number;
  try {
    pages = await convert(source);
    for (let round = 1; round < warmRounds || performance.now() - started < warmMs; round += 1) await convert(source);
  } catch {
    return undefined;
  }
  const from = performance.now();
  const [cpu, wall]: [number[], number[]] = [[], []];
  while ((cpu.length < rounds || performance.now() - from < minMs) && performance.now() - from < longestFileMs) {
    const [cpuBefore, wallBefore] = [process.cpuUsage(), performance.now()];
    await convert(source);
    const { user, system } = process.cpuUsage(cpuBefore);
    cpu.push((user + system) / 1_000);
    wall.push(performance.now() - wallBefore);
  }
  return { ...source, pages, cpuMs: computeMedian(cpu), wallMs: computeMedian(wall) };
}

interface Rates {
  documents: number;
  pages: number;
}

interface FormatFigures {
  format: string;
  documents: number;
  pages: number;
  mean: number;
  median: number;
  meanWall: number;
  slowest: string;
  met: boolean | undefined;
}

function buildFigures(format: string, timed: readonly Timed[]): FormatFigures {
  const target = targets[format];
  const pages = timed.reduce((sum, item) => sum + item.pages, 0);
  const count = target?.unit === 'pages' ? pages : timed.length;
  const rate = (of: (item: Timed) => number) => (1_000 * count) / timed.reduce((sum, item) => sum + of(item), 0);
  const median =
    1_000 / computeMedian(timed.map((item) => item.cpuMs / (target?.unit === 'pages' ? Math.max(item.pages, 1) : 1)));
  const mean = rate((item) => item.cpuMs);
  const slowest = timed.toSorted((a, b) => b.cpuMs - a.cpuMs)[0] as Timed;
  return {
    format,
    documents: timed.length,
    pages,
    mean,
    median,
    meanWall: rate((item) => item.wallMs),
    slowest: `${slowest.name} ${slowest.cpuMs.toFixed(1)} ms`,
    met: target && mean >= target.mean && median >= (target.median ?? 0),
  };
}

function formatLine({ format, documents, mean, median, meanWall, slowest, met }: FormatFigures): string {
  const target = targets[format];
  const wanted = target ? `${target.mean}${target.median ? ` / ${target.median}` : ''} ${target.unit ?? 'docs'}/s` : '';
  const verdict = met ? 'met' : 'MISSED';
  const cells = [format.padEnd(12), String(documents).padStart(4)];
  cells.push(...[mean, median, meanWall].map((value) => value.toFixed(0).padStart(7)));
  return `${cells.join(' ')}  ${wanted.padEnd(20)} ${(target ? verdict : '').padEnd(7)} ${slowest}`;
}

/** The documents and pages a second that the product's conversion threads read in several rounds of all files. */
async function measureThreads(threads: number, sources: readonly Source[], repeats: number): Promise<Rates> {
  const conversionThread = getThreadFile('conversion', path.join(packageRoot, 'dist'));
  const converter = createConverter({ threadFile: conversionThread, threads, memoryMb: 1_024 });
  const signal = new AbortController().signal;
  const all = async (times: number) => {
    const converted = await Promise.all(
      Array.from({ length: times }, () => sources)
        .flat()
        .map(({ bytes, name }) =>
          // Without OCR, as in the other measurement.
          converter
            .convert({ bytes: bytes.slice(), name, ocr: { mode: 'never', languages: [] }, timeoutMs: 60_000, signal })
            .catch(() => undefined),
        ),
    );
    return converted.reduce((sum, document) => sum + (document?.pages ?? 0), 0);
  };
  try {
    // Each thread compiles the code for itself.
    for (const from = performance.now(); performance.now() - from < warmFormatMs;) await all(threads);
    const from = performance.now();
    const pages = await all(repeats);
    const seconds = (performance.now() - from) / 1_000;
    return { documents: (repeats * sources.length) / seconds, pages: pages / seconds };
  } finally {
    await converter.close();
  }
}

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  const input = argv[0] !== undefined && !argv[0].startsWith('--') ? argv[0] : process.env['BENCH_DOCUMENTS'];
  const folder = input ?? path.join(packageRoot, 'samples', 'documents');
  if (!existsSync(folder)) return print(`There is no folder '${folder}'.\n${usage}`, 2);
  const only = readOption(argv, '--only')?.split(',');
  const sources = readSources(folder).filter(({ format }) => !only || only.includes(format));
  print(
    `${os.cpus().length} × ${os.cpus()[0]?.model.trim() ?? 'unknown processor'}, load ${os.loadavg()[0]?.toFixed(1)}, Node ${process.versions.node}`,
  );
  const jobs = readNumber(argv, '--jobs', 0);
  if (jobs > 1) return compareThreads(jobs, sources);
  print(`${'format'.padEnd(12)} docs    mean  median  (wall)  target               verdict slowest`);
  const rounds = readNumber(argv, '--rounds', 5);
  const figures: FormatFigures[] = [];
  for (const format of [...new Set(sources.map((source) => source.format))].toSorted()) {
    const timed: Timed[] = [];
    const own = sources.filter((source) => source.format === format);
    await warm(own);
    for (const source of own) {
      const item = await measureSource(source, rounds);
      if (item) timed.push(item);
    }
    if (timed.length === 0) continue;
    figures.push(buildFigures(format, timed));
    print(formatLine(figures.at(-1) as FormatFigures));
  }
  const json = readOption(argv, '--json');
  if (json !== undefined) writeFileSync(json, JSON.stringify(figures, undefined, 2));
  return figures.some(({ met }) => met === false) ? 1 : 0;
}

async function compareThreads(jobs: number, sources: readonly Source[]): Promise<number> {
  const one = await measureThreads(1, sources, threadRounds);
  const many = await measureThreads(jobs, sources, threadRounds);
  const show = ({ documents, pages }: Rates) => `${documents.toFixed(0)} docs/s, ${pages.toFixed(0)} pages/s`;
  const factor = (many.documents / one.documents).toFixed(2);
  return print(`1 thread ${show(one)}; ${jobs} threads ${show(many)}: ${factor} times`);
}

void main(process.argv.slice(2)).then((code) => process.exit(code));
