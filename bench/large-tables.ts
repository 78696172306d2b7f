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

const usage = `usage: node dist/bench/large-tables.js [csv|xlsx|xlsb|ods|xls …] [--keep FOLDER]

  The memory that \`docloom convert\` takes for a CSV file of 200 MB and XX each as Markdown, HTML and text. The first and the last row must be in each output. Exits 1 when the
  process used more than 600 MB. --keep writes the files into FOLDER and leaves them there.
`;
const packageRoot = path.join(__dirname, '..', '..');
const maxMb = 600;
const csvBytes = 200 * 1024 * 1024;
const sheetRows = 1_000_000;
const columns = ['order', 'date', 'customer', 'city', 'article', 'quantity', 'price', 'total', 'state', 'note'];
const cities = ['Lisbon', 'Łódź', 'Zürich', 'Oslo', 'Saint-Étienne'];

function rowAt(row: number): (string | number)[] {
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
      const cells = rowAt(row).map(String);
      text += `${cells.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`;
    }
    size += writeSync(output, text);
  }
  writeSync(output, 'last,,,,,,,,,end\n');
  closeSync(output);
}

function writeWorkbook(file: string): void {
  const output = openSync(file, 'w');
  const zip = new Zip((error, data) => {
    if (error) throw error;
    writeSync(output, data);
  });
  const add = (name: string, write: (push: (text: string) => void) => void) => {
    const entry = new ZipDeflate(name, { level: 6 });
    zip.add(entry);
    write((text) => entry.push(strToU8(text)));
    entry.push(new Uint8Array(), true);
  };
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const relation = (type: string, target: string) =>
    `<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${office}/${type}" Target="${target}"/></Relationships>`;
  add('[Content_Types].xml', (push) =>
    push(
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    ),
  );
  add('_rels/.rels', (push) => push(relation('officeDocument', 'xl/workbook.xml')));
  add('xl/workbook.xml', (push) =>
    push(
      `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Orders" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
  );
  add('xl/_rels/workbook.xml.rels', (push) => push(relation('worksheet', 'worksheets/sheet1.xml')));
  add('xl/worksheets/sheet1.xml', (push) => {
    push(`<worksheet xmlns="${main}"><sheetData>`);
    let text = '';
    for (let row = 1; row <= sheetRows; row += 1) {
      text += rowXml(row, row === 1 ? columns : row === sheetRows ? ['last', 'end'] : rowAt(row));
      if (row % 5_000 === 0) {
        push(text);
        text = '';
      }
    }
    push(`${text}</sheetData></worksheet>`);
  });
  zip.end();
  closeSync(output);
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
      forRows((rows) => push(strToU8(rows.map(rowOdf).join(''))));
      push(strToU8('</table:table></office:spreadsheet></office:body></office:document-content>'));
    });
  });
}

function rowOdf(cells: readonly (string | number)[]): string {
  const written = cells.map((cell) => {
    const value = typeof cell === 'number' ? `float" office:value="${cell}` : 'string';
    return `<table:table-cell office:value-type="${value}"><text:p>${cell}</text:p></table:table-cell>`;
  });
  return `<table:table-row>${written.join('')}</table:table-row>`;
}

function writeBinaryWorkbook(file: string): void {
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const relations = (type: string, target: string) =>
    strToU8(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${office}/${type}" Target="${target}"/></Relationships>`,
    );
  writeZip(file, (add) => {
    add('_rels/.rels', (push) => push(relations('officeDocument', 'xl/workbook.bin')));
    add('xl/_rels/workbook.bin.rels', (push) => push(relations('worksheet', 'worksheets/sheet1.bin')));
    const sheet = Buffer.concat([Buffer.alloc(8), wide('r1'), wide('Orders')]);
    add('xl/workbook.bin', (push) => push(record(156, sheet)));
    add('xl/worksheets/sheet1.bin', (push) => {
      let row = 0;
      forRows((rows) => push(Buffer.concat(rows.flatMap((cells) => rowRecords(row++, cells)))));
    });
  });
}

function rowRecords(row: number, cells: readonly (string | number)[]): Buffer[] {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(row);
  const written = cells.map((cell, column) => {
    const place = Buffer.alloc(8);
    place.writeUInt32LE(column);
    if (typeof cell === 'string') return record(6, Buffer.concat([place, wide(cell)]));
    return record(5, Buffer.concat([place, Buffer.from(new Float64Array([cell]).buffer)]));
  });
  return [record(0, head), ...written];
}

/** A record of a binary workbook: type and length with seven bits per byte. */
function record(type: number, data: Buffer): Buffer {
  const number = (value: number): number[] =>
    value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)];
  return Buffer.concat([Buffer.from([...number(type), ...number(data.length)]), data]);
}

function wide(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, Buffer.from(text, 'utf16le')]);
}

/** Excel 97 to 2003: a sheet has 65,536 rows at most, so the rows are in many sheets. */
function writeOldWorkbook(file: string): void {
  const sheets: Buffer[] = [];
  let [pieces, row]: [Buffer[], number] = [[], 0];
  const begin = (kind: number) => oldRecord(0x809, numbersOf([0x600, kind, 0, 0, 0, 0, 0, 0], 2));
  const end = oldRecord(0x0a, Buffer.alloc(0));
  const finish = () => {
    if (pieces.length > 0) sheets.push(Buffer.concat([begin(0x10), ...pieces, end]));
    [pieces, row] = [[], 0];
  };
  forRows((rows) => {
    pieces.push(Buffer.concat(rows.flatMap((cells) => oldRowRecords(row++, cells))));
    if (row > 60_000) finish();
  });
  finish();
  const entryLength = 4 + 8 + 3;
  let at = begin(5).length + sheets.length * entryLength + end.length;
  const entries = sheets.map((sheet, index) => {
    const name = Buffer.from(`S${String(index + 10)}`);
    const entry = oldRecord(0x85, Buffer.concat([numbersOf([at], 4), Buffer.from([0, 0, name.length, 0]), name]));
    at += sheet.length;
    return entry;
  });
  const container = utils.cfb_new();
  utils.cfb_add(container, '/Workbook', Buffer.concat([begin(5), ...entries, end, ...sheets]));
  writeFileSync(file, write(container, { type: 'buffer' }) as Buffer);
}

function oldRowRecords(row: number, cells: readonly (string | number)[]): Buffer[] {
  return cells.map((cell, column) => {
    const place = numbersOf([row, column, 0], 2);
    if (typeof cell === 'number')
      return oldRecord(0x203, Buffer.concat([place, Buffer.from(new Float64Array([cell]).buffer)]));
    const isWide = /[^\0-\xff]/.test(cell);
    const text = Buffer.from(cell, isWide ? 'utf16le' : 'latin1');
    return oldRecord(0x204, Buffer.concat([place, numbersOf([cell.length], 2), Buffer.from([isWide ? 1 : 0]), text]));
  });
}

function oldRecord(type: number, data: Buffer): Buffer {
  return Buffer.concat([numbersOf([type, data.length], 2), data]);
}

function numbersOf(values: readonly number[], length: number): Buffer {
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
function forRows(write: (rows: (string | number)[][]) => void): void {
  let rows: (string | number)[][] = [columns];
  for (let row = 1; row <= sheetRows; row += 1) {
    rows.push(row === sheetRows ? ['last', ...rowAt(row).slice(1)] : rowAt(row));
    if (rows.length < 1_000 && row < sheetRows) continue;
    write(rows);
    rows = [];
  }
}

function rowXml(row: number, cells: readonly (string | number)[]): string {
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
    const isWhole = run.status === 0 && ['customer', 'last'].every((word) => standsIn(output, word));
    const isGood = isWhole && peak <= maxMb;
    isMet &&= isGood;
    const sizes = `${mb(statSync(file).size)} MB to ${run.status === 0 ? mb(statSync(output).size) : 0} MB of ${format}`;
    print(
      `${path.basename(file)}: ${sizes}, ${seconds} s of processor time, highest memory ${peak} MB of ${maxMb}: ${isGood ? 'met' : 'MISSED'}`,
    );
    if (!isWhole) print(`  ${run.status === 0 ? 'a row is missing' : run.stderr + run.stdout}`);
  }
  rmSync(outputs, { recursive: true, force: true });
  return isMet;
}

/** Looks at both ends of the file. */
function standsIn(file: string, word: string): boolean {
  const bytes = readFileSync(file);
  const ends = [bytes.subarray(0, 20_000), bytes.subarray(-20_000)];
  return ends.some((end) => end.includes(word));
}

const mb = (bytes: number) => (bytes / 1e6).toFixed(0);

function main(argv: readonly string[]): number {
  if (argv.includes('--help')) return print(usage);
  const at = argv.indexOf('--keep');
  const kept = at < 0 ? undefined : argv[at + 1];
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

function print(text: string, code = 0): number {
  process.stdout.write(`${text}\n`);
  return code;
}

process.exitCode = main(process.argv.slice(2));
