import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { keepPages } from '../document/page-range';
import { escapeHtml, toHtml } from '../document/write/html';
import { toMarkdown } from '../document/write/markdown';
import { convertBytes } from '../formats/convert';
import type { Profile } from '../formats/format';
import { openReader } from '../formats/pdf/engine/reader';
import { asAppError } from '../model/errors';
import { print, readNumber, readOption, runCommand } from './support/command';
import { listFiles } from './support/files';
import { createRandom, type Random } from './support/random';

const usage = `usage: npm run pdf-look -- FOLDER… [--seed N] [--count N] [--words N] [--output FOLDER] [--profile reference]

  Draws COUNT pages (100) of the PDF files below the folders, by SEED (1), that have at least WORDS words (25): one page of
  each file, then a second one of each, and so on. Writes OUTPUT/index.html (pdf-look/index.html): the picture of each page
  beside its Markdown as it is rendered; beside it NUMBER.html, one page each, and NUMBER.md. A page is read together with the
  two pages before and after it, as headings and page headers need their neighbours.`;

/** Number of pages before and after the chosen one that are read as well. */
const neighbours = 2;
const pictureScale = 1.25;

interface Look {
  file: string;
  pageNo: number;
  markdown: string;
  /** The Markdown, rendered. */
  html: string;
  picture: string;
}

async function main(argv: string[]): Promise<number> {
  const first = argv.findIndex((argument) => argument.startsWith('--'));
  const folders = first === -1 ? argv : argv.slice(0, first);
  if (folders.length === 0 || !folders.every((folder) => existsSync(folder))) return print(usage, 2);
  const [seed, count] = [readNumber(argv, '--seed', 1), readNumber(argv, '--count', 100)];
  const minWords = readNumber(argv, '--words', 25);
  const profile: Profile = readOption(argv, '--profile') === 'reference' ? 'reference' : 'reader';
  const output = readOption(argv, '--output') ?? 'pdf-look';
  mkdirSync(output, { recursive: true });
  const looks: Look[] = [];
  for await (const look of drawPages(folders.flatMap(listFiles).filter(isPdf), createRandom(seed), {
    minWords,
    profile,
  })) {
    looks.push(look);
    writeLook(output, looks.length, look);
    if (looks.length === count) break;
  }
  writeFileSync(
    path.join(output, 'index.html'),
    htmlPage(looks.map((look, index) => section(look, index + 1)).join('')),
  );
  return print(`${looks.length} pages in ${path.join(output, 'index.html')}`);
}

interface Wanted {
  minWords: number;
  profile: Profile;
}

/** Yields a page of each file, then another page of each, until no pages are left. */
async function* drawPages(files: string[], random: Random, wanted: Wanted): AsyncGenerator<Look> {
  const seeds = new Map(shuffle(files, random).map((file) => [file, random.integer(0, 2 ** 31)]));
  for (let round = 0; seeds.size > 0; round += 1) {
    for (const [file, seed] of seeds) {
      const drawn = await lookAtPage(file, { round, random: createRandom(seed) }, wanted);
      if (drawn === 'no more') seeds.delete(file);
      else if (drawn) yield drawn;
    }
  }
}

function isPdf(file: string): boolean {
  return file.toLowerCase().endsWith('.pdf');
}

function shuffle<T>(list: T[], random: Random): T[] {
  for (let index = list.length - 1; index > 0; index -= 1) {
    const other = random.integer(0, index);
    [list[index], list[other]] = [list[other]!, list[index]!];
  }
  return list;
}

/** The `round`th of the file's pages in random order; undefined if it has too few words. */
async function lookAtPage(
  file: string,
  { round, random }: { round: number; random: Random },
  { minWords, profile }: Wanted,
): Promise<Look | 'no more' | undefined> {
  const bytes = readFileSync(file);
  const name = path.basename(file);
  try {
    const reader = await openReader(bytes, name);
    try {
      const order = shuffle(
        Array.from({ length: reader.pageCount }, (_, index) => index + 1),
        random,
      );
      const pageNo = order[round];
      if (pageNo === undefined) return 'no more';
      const range = [Math.max(1, pageNo - neighbours), Math.min(reader.pageCount, pageNo + neighbours)] as const;
      const { document } = await convertBytes({ bytes, name, profile, paged: { range } });
      const page = keepPages(document, pageNo, pageNo);
      if (!hasWords(toMarkdown(page, { layers: ['body', 'furniture'] }), minWords)) return undefined;
      const { png } = await reader.render(pageNo, pictureScale);
      const picture = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
      const markdown = toMarkdown(page);
      return { file: name, pageNo, markdown, html: await renderMarkdown(markdown), picture };
    } finally {
      reader.close();
    }
  } catch (error) {
    process.stderr.write(`${name}: ${asAppError(error, 'CONVERSION_FAILED').message}\n`);
    return 'no more';
  }
}

function hasWords(markdown: string, least: number): boolean {
  return (markdown.match(/[\p{L}\p{N}]{2,}/gu) ?? []).length >= least;
}

/** As a Markdown viewer shows it. */
async function renderMarkdown(markdown: string): Promise<string> {
  if (markdown.trim() === '') return '<p>(nothing)</p>';
  const { document } = await convertBytes({ bytes: Buffer.from(markdown), name: 'page.md' });
  return /<body>([^]*)<\/body>/.exec(toHtml(document))?.[1] ?? '';
}

function writeLook(output: string, number: number, look: Look): void {
  const name = path.join(output, String(number).padStart(3, '0'));
  writeFileSync(`${name}.html`, htmlPage(section(look, number)));
  writeFileSync(`${name}.md`, look.markdown);
}

function section({ file, pageNo, html, picture }: Look, number: number): string {
  const title = `${number}. ${escapeHtml(file)}, page ${pageNo}`;
  return `<section><h6>${title}</h6><div class="pair"><img src="${picture}"><article>${html}</article></div></section>\n`;
}

function htmlPage(body: string): string {
  return `<!doctype html><meta charset="utf-8"><title>Pages beside their Markdown</title><style>
body{margin:8px;font:13px/1.3 sans-serif}.pair{display:flex;gap:12px;align-items:flex-start}
.pair img{width:50%;border:1px solid #999}article{flex:1;min-width:0;overflow-wrap:anywhere}
h6{margin:4px 0;font-size:13px;background:#ddd;padding:2px 6px}article h1,article h2,article h3{margin:6px 0;color:#05a}
p,ul,ol,.page>.inline-group{margin:4px 0}.page>.inline-group{display:block}table{border-collapse:collapse;font-size:12px}td,th{border:1px solid #999;padding:1px 4px;vertical-align:top}
th{background:#eef}pre{background:#eee;white-space:pre-wrap}</style>
${body}`;
}

runCommand(main);
