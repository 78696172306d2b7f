import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { strToU8, zipSync } from 'fflate';
import Pdf from 'pdfkit';
import { documentToJsonPieces } from '../document/json/pieces';
import { documentToJson } from '../document/json/write';
import { toMarkdown } from '../document/write/markdown';
import { convertBytes } from '../formats/convert';
import { print, readNumber, runCommand } from './support/command';
import { listFiles } from './support/files';
import { readPeakMb } from './support/peak-memory';
import { packageRoot } from './support/stack';

const usage = `usage: npm run bench:convert-memory -- [pdf|xlsx|many …] [--conversions N]

  The memory that conversions take, each case in a process of its own: a PDF of 1,000 pages and a workbook of 100,000 rows by
  10 columns, JSON written as a stream (both must stay under 1 GB resident), and N (5,000) conversions of the samples one
  after the other, whose memory after the first tenth and at the end may differ by 10 %. Exits 1 when a target is missed.
`;
const maxMb = 1_000;
const maxGrowth = 1.1;

const toMb = (bytes: number) => bytes / 1e6;

/** A thousand pages with a heading, two paragraphs and a small table each. */
async function buildLongPdf(): Promise<Uint8Array> {
  const pdf = new Pdf({ size: 'A4', margin: 72 });
  const parts: Buffer[] = [];
  pdf.on('data', (part: Buffer) => parts.push(part));
  const ended = new Promise((resolve) => pdf.on('end', resolve));
  const sentence = 'The harbour office keeps a daily record of the water level at the northern pier. ';
  for (let page = 1; page <= 1_000; page += 1) {
    if (page > 1) pdf.addPage();
    pdf.font('Helvetica-Bold').fontSize(16).text(`Chapter ${page}`);
    pdf.font('Times-Roman').fontSize(11).text(sentence.repeat(15)).moveDown().text(sentence.repeat(15));
    for (let row = 0; row < 8; row += 1)
      for (let column = 0; column < 4; column += 1)
        pdf.text(`${page}.${row}${column}`, 72 + column * 90, 500 + row * 14, { lineBreak: false });
  }
  pdf.end();
  await ended;
  return new Uint8Array(Buffer.concat(parts));
}

/** Numbers and short texts, stored inline, in the simplest workbook that can be opened. */
function buildLongWorkbook(): Uint8Array {
  const rows: string[] = [];
  for (let row = 1; row <= 100_000; row += 1) {
    let cells = '';
    for (let column = 0; column < 10; column += 1) {
      const at = `${String.fromCharCode(65 + column)}${row}`;
      cells +=
        column < 2
          ? `<c r="${at}" t="inlineStr"><is><t>Text ${row} ${column}</t></is></c>`
          : `<c r="${at}"><v>${row * column}</v></c>`;
    }
    rows.push(`<row r="${row}">${cells}</row>`);
  }
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const relation = (type: string, target: string) =>
    `<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${office}/${type}" Target="${target}"/></Relationships>`;
  const parts = {
    '_rels/.rels': relation('officeDocument', 'xl/workbook.xml'),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relation('worksheet', 'worksheets/sheet1.xml'),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${rows.join('')}</sheetData></worksheet>`,
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
  };
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));
}

/** Converts one file in this process and reports its memory. */
async function convertLong(name: string, file: string): Promise<string> {
  const started = process.cpuUsage();
  const { document, pages } = await convertBytes({ bytes: new Uint8Array(readFileSync(file)), name });
  await pipeline(Readable.from(documentToJsonPieces(document)), createWriteStream(`${file}.json`));
  const { user, system } = process.cpuUsage(started);
  return `${readPeakMb()} ${pages} ${(user + system) / 1e6}`;
}

/**
 * Converts the samples repeatedly. Returns the memory after a tenth of the conversions and at the end, in MB, after garbage
 * collection.
 */
async function convertMany(count: number): Promise<string> {
  const samples = listFiles(path.join(packageRoot, 'samples', 'documents'))
    .filter((file) => !/protected|acl/.test(file))
    .map((file) => ({ name: path.basename(file), bytes: new Uint8Array(readFileSync(file)) }));
  let early = 0;
  for (let done = 0; done < count; done += 1) {
    const sample = samples[done % samples.length] as (typeof samples)[number];
    const { document } = await convertBytes(sample);
    toMarkdown(document);
    documentToJson(document);
    if (done + 1 === Math.ceil(count / 10)) early = measureSettledMemory();
  }
  return `${early} ${measureSettledMemory()}`;
}

function measureSettledMemory(): number {
  for (let round = 0; round < 3; round += 1) globalThis.gc?.();
  return toMb(process.memoryUsage.rss());
}

/** Runs one case in a separate process and returns the printed numbers. */
function runSeparately(args: readonly string[]): number[] {
  const run = spawnSync(process.execPath, ['--expose-gc', __filename, ...args], { encoding: 'utf8', maxBuffer: 1e8 });
  if (run.status !== 0) throw new Error(`${args.join(' ')} failed: ${run.stderr.slice(0, 2_000)}`);
  return run.stdout.trim().split(' ').map(Number);
}

async function measureLongFile(name: string, bytes: Uint8Array, folder: string): Promise<boolean> {
  const file = path.join(folder, name);
  writeFileSync(file, bytes);
  const [peak = Number.NaN, pages, seconds] = runSeparately(['--long', name, file]);
  const met = peak < maxMb;
  const written = toMb(statSync(`${file}.json`).size).toFixed(0);
  print(
    `${name}: ${toMb(bytes.length).toFixed(1)} MB, ${pages} pages, JSON of ${written} MB, ${seconds?.toFixed(1)} s of processor time; highest memory ${peak.toFixed(0)} MB of ${maxMb}: ${met ? 'met' : 'MISSED'}`,
  );
  return met;
}

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  if (argv[0] === '--long') return print(await convertLong(argv[1] as string, argv[2] as string));
  if (argv[0] === '--many') return print(await convertMany(Number(argv[1])));
  const count = readNumber(argv, '--conversions', 5_000);
  const wanted = argv.filter((word) => ['pdf', 'xlsx', 'many'].includes(word));
  const wants = (name: string) => wanted.length === 0 || wanted.includes(name);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-memory-'));
  let met = true;
  try {
    if (wants('pdf')) met = (await measureLongFile('thousand-pages.pdf', await buildLongPdf(), folder)) && met;
    if (wants('xlsx')) met = (await measureLongFile('million-cells.xlsx', buildLongWorkbook(), folder)) && met;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (wants('many')) {
    const [early = Number.NaN, late = Number.NaN] = runSeparately(['--many', String(count)]);
    const flat = late <= maxGrowth * early;
    print(
      `${count} conversions: ${early.toFixed(0)} MB after the first tenth, ${late.toFixed(0)} MB at the end: ${flat ? 'met' : 'MISSED'}`,
    );
    met &&= flat;
  }
  return met ? 0 : 1;
}

runCommand(main);
