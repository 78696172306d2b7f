import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { utils, write } from 'cfb';
import { strToU8, Zip, ZipDeflate } from 'fflate';
import { print, readOption, runCommand } from './support/command';
import { packageRoot } from './support/stack';

const usage = `usage: node dist/bench/large-tables.js [csv|xlsx|xlsb|ods|xls …] [--keep FOLDER]

  The memory that \`docloom convert\` takes for a CSV file of 200 MB and for workbooks of 1,000,000 rows, each converted to
  Markdown, HTML and text. The first and the last row must be in each output. Exits 1 when one is missing or the process used
  more than 600 MB. --keep writes the files into FOLDER and leaves them there.`;
const maxMb = 600;
const csvBytes = 200 * 1024 * 1024;
const sheetRows = 1_000_000;
const columns = ['order', 'date', 'customer', 'city', 'article', 'quantity', 'price', 'total', 'state', 'note'];
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const cities = ['Lisbon', 'Łódź', 'Zürich', 'Oslo', 'Saint-Étienne'];

function buildRow(row: number): (string | number)[] {
  const price = ((row * 7919) % 100_000) / 100;
  const quantity = (row % 9) + 1;
  const day = `2026-${String((row % 12) + 1).padStart(2, '0')}-${String((row % 28) + 1).padStart(2, '0')}`;
  const note = row % 10 === 0 ? `Ring, then "wait"\nat gate ${row % 7}` : `lot ${row % 977}`;
  const city = cities[row % cities.length] as string;
  return [row, day, `Customer ${row % 5_000}`, city, `A-${row % 800}`, quantity, price, price * quantity, 'open', note];
}

function writeCsv(file: string): void {
  const output = openSync(file, 'w');
  let [size, row] = [writeSync(output, `${columns.join(',')}\n`), 0];
  while (size < csvBytes) {
    let text = '';
    for (let line = 0; line < 10_000; line += 1) {
      row += 1;
      const cells = buildRow(row).map(String);
      text += `${cells.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`;
    }
    size += writeSync(output, text);
  }
  writeSync(output, 'last,,,,,,,,,end\n');
  closeSync(output);
}

function writeWorkbook(file: string): void {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  writeZip(file, (add) => {
    const addText = (name: string, text: string) => add(name, (push) => push(strToU8(text)));
    addText(
      '[Content_Types].xml',
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    );
    addText('_rels/.rels', writeRelation('officeDocument', 'xl/workbook.xml'));
    addText(
      'xl/workbook.xml',
      `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Orders" sheetId="1" r:id="r1"/></sheets></workbook>`,
    );
    addText('xl/_rels/workbook.xml.rels', writeRelation('worksheet', 'worksheets/sheet1.xml'));
    add('xl/worksheets/sheet1.xml', (push) => {
      push(strToU8(`<worksheet xmlns="${main}"><sheetData>`));
      let row = 0;
      writeRows((rows) => push(strToU8(rows.map((cells) => buildRowXml(++row, cells)).join(''))));
      push(strToU8('</sheetData></worksheet>'));
    });
  });
}

/** The one relation of a part of an office file. */
function writeRelation(type: string, target: string): string {
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${office}/${type}" Target="${target}"/></Relationships>`;
}

const openDocument = 'urn:oasis:names:tc:opendocument:xmlns:';

function writeSpreadsheet(file: string): void {
  writeZip(file, (add) => {
    add('mimetype', (push) => push(strToU8('application/vnd.oasis.opendocument.spreadsheet')));
    add('content.xml', (push) => {
      const names = ['office', 'table', 'text'].map((name) => `xmlns:${name}="${openDocument}${name}:1.0"`).join(' ');
      push(
        strToU8(`<office:document-content ${names}><office:body><office:spreadsheet><table:table table:name="Orders">`),
      );
      writeRows((rows) => push(strToU8(rows.map(buildRowOdf).join(''))));
      push(strToU8('</table:table></office:spreadsheet></office:body></office:document-content>'));
    });
  });
}

function buildRowOdf(cells: readonly (string | number)[]): string {
  const written = cells.map((cell) => {
    const value = typeof cell === 'number' ? `float" office:value="${cell}` : 'string';
    return `<table:table-cell office:value-type="${value}"><text:p>${cell}</text:p></table:table-cell>`;
  });
  return `<table:table-row>${written.join('')}</table:table-row>`;
}

function writeBinaryWorkbook(file: string): void {
  writeZip(file, (add) => {
    add('_rels/.rels', (push) => push(strToU8(writeRelation('officeDocument', 'xl/workbook.bin'))));
    add('xl/_rels/workbook.bin.rels', (push) => push(strToU8(writeRelation('worksheet', 'worksheets/sheet1.bin'))));
    const sheet = Buffer.concat([Buffer.alloc(8), encodeWide('r1'), encodeWide('Orders')]);
    add('xl/workbook.bin', (push) => push(buildRecord(156, sheet)));
    add('xl/worksheets/sheet1.bin', (push) => {
      let row = 0;
      writeRows((rows) => push(Buffer.concat(rows.flatMap((cells) => buildRowRecords(row++, cells)))));
    });
  });
}

function buildRowRecords(row: number, cells: readonly (string | number)[]): Buffer[] {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(row);
  const written = cells.map((cell, column) => {
    const place = Buffer.alloc(8);
    place.writeUInt32LE(column);
    if (typeof cell === 'string') return buildRecord(6, Buffer.concat([place, encodeWide(cell)]));
    return buildRecord(5, Buffer.concat([place, Buffer.from(new Float64Array([cell]).buffer)]));
  });
  return [buildRecord(0, head), ...written];
}

/** A record of a binary workbook: type and length with seven bits per byte. */
function buildRecord(type: number, data: Buffer): Buffer {
  const number = (value: number): number[] =>
    value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)];
  return Buffer.concat([Buffer.from([...number(type), ...number(data.length)]), data]);
}

function encodeWide(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, Buffer.from(text, 'utf16le')]);
}

/** Excel 97 to 2003: a sheet has 65,536 rows at most, so the rows are in many sheets. */
function writeOldWorkbook(file: string): void {
  const sheets: Buffer[] = [];
  let [pieces, row]: [Buffer[], number] = [[], 0];
  const begin = (kind: number) => buildOldRecord(0x809, encodeNumbers([0x600, kind, 0, 0, 0, 0, 0, 0], 2));
  const end = buildOldRecord(0x0a, Buffer.alloc(0));
  const finish = () => {
    if (pieces.length > 0) sheets.push(Buffer.concat([begin(0x10), ...pieces, end]));
    [pieces, row] = [[], 0];
  };
  writeRows((rows) => {
    pieces.push(Buffer.concat(rows.flatMap((cells) => buildOldRowRecords(row++, cells))));
    if (row > 60_000) finish();
  });
  finish();
  const entryLength = 4 + 8 + 3;
  let at = begin(5).length + sheets.length * entryLength + end.length;
  const entries = sheets.map((sheet, index) => {
    const name = Buffer.from(`S${String(index + 10)}`);
    const entry = buildOldRecord(
      0x85,
      Buffer.concat([encodeNumbers([at], 4), Buffer.from([0, 0, name.length, 0]), name]),
    );
    at += sheet.length;
    return entry;
  });
  const container = utils.cfb_new();
  utils.cfb_add(container, '/Workbook', Buffer.concat([begin(5), ...entries, end, ...sheets]));
  writeFileSync(file, write(container, { type: 'buffer' }) as Buffer);
}

function buildOldRowRecords(row: number, cells: readonly (string | number)[]): Buffer[] {
  return cells.map((cell, column) => {
    const place = encodeNumbers([row, column, 0], 2);
    if (typeof cell === 'number')
      return buildOldRecord(0x203, Buffer.concat([place, Buffer.from(new Float64Array([cell]).buffer)]));
    const isWide = /[^\0-\xff]/.test(cell);
    const text = Buffer.from(cell, isWide ? 'utf16le' : 'latin1');
    return buildOldRecord(
      0x204,
      Buffer.concat([place, encodeNumbers([cell.length], 2), Buffer.from([isWide ? 1 : 0]), text]),
    );
  });
}

function buildOldRecord(type: number, data: Buffer): Buffer {
  return Buffer.concat([encodeNumbers([type, data.length], 2), data]);
}

function encodeNumbers(values: readonly number[], length: number): Buffer {
  const bytes = Buffer.alloc(values.length * length);
  for (const [index, value] of values.entries()) bytes.writeUIntLE(value, index * length, length);
  return bytes;
}

type AddEntry = (name: string, write: (push: (bytes: Uint8Array) => void) => void) => void;

function writeZip(file: string, write: (add: AddEntry) => void): void {
  const output = openSync(file, 'w');
  const zip = new Zip((error, data) => {
    if (error) throw error;
    writeSync(output, data);
  });
  write((name, writeEntry) => {
    const entry = new ZipDeflate(name, { level: 6 });
    zip.add(entry);
    writeEntry((bytes) => entry.push(bytes));
    entry.push(new Uint8Array(), true);
  });
  zip.end();
  closeSync(output);
}

/** Calls `write` with the header and then the rows, a thousand at a time. */
function writeRows(write: (rows: (string | number)[][]) => void): void {
  let rows: (string | number)[][] = [columns];
  for (let row = 1; row <= sheetRows; row += 1) {
    rows.push(row === sheetRows ? ['last', ...buildRow(row).slice(1)] : buildRow(row));
    if (rows.length < 1_000 && row < sheetRows) continue;
    write(rows);
    rows = [];
  }
}

function buildRowXml(row: number, cells: readonly (string | number)[]): string {
  const written = cells.map((cell, column) => {
    const at = `${String.fromCharCode(65 + column)}${row}`;
    return typeof cell === 'number'
      ? `<c r="${at}"><v>${cell}</v></c>`
      : `<c r="${at}" t="inlineStr"><is><t>${cell}</t></is></c>`;
  });
  return `<row r="${row}">${written.join('')}</row>`;
}

function measure(file: string, folder: string): boolean {
  const peakFile = path.join(__dirname, 'support', 'print-peak.js');
  const outputs = path.join(folder, 'out');
  let isMet = true;
  for (const [format, extension] of [
    ['md', '.md'],
    ['html', '.html'],
    ['text', '.txt'],
  ] as const) {
    const command = ['--require', peakFile, path.join(packageRoot, 'bin', 'docloom'), 'convert', file, '--to', format];
    const run = spawnSync(process.execPath, [...command, '--output', outputs], { encoding: 'utf8' });
    const seconds = /([\d.]+) s of processor/.exec(run.stderr)?.[1] ?? '?';
    const peak = Number(/peak (\d+) MB/.exec(run.stderr)?.[1] ?? Number.NaN);
    const output = path.join(outputs, `${path.parse(file).name}${extension}`);
    const isWhole = run.status === 0 && ['customer', 'last'].every((word) => endsContain(output, word));
    const isGood = isWhole && peak <= maxMb;
    isMet &&= isGood;
    const sizes = `${formatMb(statSync(file).size)} MB to ${run.status === 0 ? formatMb(statSync(output).size) : 0} MB of ${format}`;
    print(
      `${path.basename(file)}: ${sizes}, ${seconds} s of processor time, highest memory ${peak} MB of ${maxMb}: ${isGood ? 'met' : 'MISSED'}`,
    );
    if (!isWhole) print(`  ${run.status === 0 ? 'a row is missing' : run.stderr + run.stdout}`);
  }
  rmSync(outputs, { recursive: true, force: true });
  return isMet;
}

/** Looks at both ends of the file. */
function endsContain(file: string, word: string): boolean {
  const bytes = readFileSync(file);
  const ends = [bytes.subarray(0, 20_000), bytes.subarray(-20_000)];
  return ends.some((end) => end.includes(word));
}

const formatMb = (bytes: number) => (bytes / 1e6).toFixed(0);

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  const kept = readOption(argv, '--keep');
  const folder = kept ?? mkdtempSync(path.join(os.tmpdir(), 'docloom-tables-'));
  mkdirSync(folder, { recursive: true });
  const wanted = argv.filter((word) => ['csv', 'xlsx', 'xlsb', 'ods', 'xls'].includes(word));
  let isMet = true;
  try {
    for (const [kind, name, write] of [
      ['csv', 'orders.csv', writeCsv],
      ['xlsx', 'million-rows.xlsx', writeWorkbook],
      ['xlsb', 'million-binary.xlsb', writeBinaryWorkbook],
      ['ods', 'million-open.ods', writeSpreadsheet],
      ['xls', 'million-old.xls', writeOldWorkbook],
    ] as const) {
      if (wanted.length > 0 && !wanted.includes(kind)) continue;
      const file = path.join(folder, name);
      write(file);
      isMet = measure(file, folder) && isMet;
    }
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
  return isMet ? 0 : 1;
}

runCommand(main);
