import { hash } from 'node:crypto';
import { writeHtmlRows, writeMarkdownRows, type RowTable } from '../../document/write/row-tables';
import { detectFormat } from '../../formats/detect';
import { defaultLimits, type Format, type RowSheet, getStem } from '../../formats/format';
import { buildGroupDocument, groupRows } from '../../formats/rows/row-groups';
import { AppError, asAppError } from '../../model/errors';
import { createEmptyExport, type ExportedDocument, type ExportTask } from '../../services/conversion/export';
import { createProblem } from '../../services/conversion/problems';
import type { Stopwatch } from './timings';
import { writeChunks } from './write-chunks';
import { collectBytes, writeOutput, type Written } from './write-output';

/** Chunks are made of documents of this size, so that few cells are in memory. */
const chunkedGroups = { rows: 500, characters: 256 * 1024 };

/** True if the tables of the document are too large for a document of cells. */
export function isReadByRows({ name, mimetype, bytes }: ExportTask): boolean {
  return detectFormat({ name, mimetype, head: bytes })?.rows?.isLarge(bytes) ?? false;
}

/**
 * Writes a large table as Markdown, HTML, text or chunks while its rows are read, once for each output. Other outputs fail with
 * DOCUMENT_TOO_LARGE. Never throws.
 */
export async function exportRows(task: ExportTask, watch: Stopwatch): Promise<ExportedDocument> {
  const format = detectFormat({ name: task.name, mimetype: task.mimetype, head: task.bytes })!;
  const outputs: Record<string, Uint8Array> = {};
  const writtenFiles: Record<string, number> = {};
  const errors: ExportedDocument['errors'] = [];
  let total = noCounts;
  const { readSheets } = await format.rows!.load();
  const limits = { ...defaultLimits, ...task.limits };
  for (const name of new Set(task.options.to_formats)) {
    try {
      const counts = { ...noCounts };
      const sheets = countSheets(readSheets(task.bytes, { name: task.name, limits }), counts);
      const file = task.outputFiles?.[name];
      await watch.measure(`doc_export_${name}`, async () => {
        const written = await writeSheets(name, sheets, task);
        if (file === undefined) outputs[name] = collectBytes(written);
        else writtenFiles[name] = writeOutput(file, written);
      });
      total = counts;
    } catch (error) {
      const failure = asAppError(error, 'CONVERSION_FAILED');
      if (failure.code === 'STORAGE_ERROR') throw failure;
      errors.push(createProblem(failure, { name: task.name, module: `writer ${name}` }).problem);
    }
  }
  const isWritten = Object.keys({ ...outputs, ...writtenFiles }).length > 0;
  const statusWithErrors = isWritten ? 'partial_success' : 'failure';
  return {
    ...createEmptyExport(format.name),
    status: errors.length === 0 ? 'success' : statusWithErrors,
    errors,
    timings: watch.timings(),
    mimetype: format.mediaTypes.find((type) => type === task.mimetype) ?? format.mediaTypes[0]!,
    pages: total.sheets,
    hash: String(BigInt(`0x${hash('sha256', task.bytes).slice(-16)}`)),
    characters: total.characters,
    tables: total.sheets - total.hidden,
    outputs,
    ...(task.outputFiles ? { writtenFiles } : {}),
    ...(isWritten ? findLosses(format, total, task) : {}),
  };
}

interface Counts {
  sheets: number;
  hidden: number;
  rows: number;
  characters: number;
}

const noCounts: Readonly<Counts> = { sheets: 0, hidden: 0, rows: 0, characters: 0 };

/** Counts all sheets, and yields the visible ones. */
function* countSheets(sheets: Iterable<RowSheet>, counts: Counts): Generator<RowSheet> {
  for (const sheet of sheets) {
    counts.sheets += 1;
    if (sheet.isHidden) counts.hidden += 1;
    else yield { ...sheet, rows: countRows(sheet.rows, counts) };
  }
}

function* countRows(rows: Iterable<readonly string[]>, counts: Counts): Generator<readonly string[]> {
  for (const row of rows) {
    counts.rows += 1;
    for (const text of row) counts.characters += text.length;
    if (counts.characters > maxCharacters)
      throw new AppError('DOCUMENT_TOO_LARGE', `The cells have more than ${maxCharacters} characters.`);
    yield row;
  }
}

/** A text that many cells share may be written this often. */
const maxCharacters = 2_000_000_000;

async function writeSheets(name: string, sheets: Iterable<RowTable & RowSheet>, task: ExportTask): Promise<Written> {
  const { options, chunking } = task;
  const { md_dialect: dialect } = options;
  if (name === 'md')
    return writeMarkdownRows(sheets, dialect === 'github' || dialect === 'commonmark' ? { dialect } : {});
  if (name === 'text') return writeMarkdownRows(sheets, { plain: true });
  if (name === 'html') return writeHtmlRows(sheets, getStem(task.name));
  if (name === 'chunks' && chunking) return writeChunks(task, buildDocuments(sheets, task.name), chunking);
  throw new AppError(
    'DOCUMENT_TOO_LARGE',
    `'${task.name}' is a table too large for ${name}. Tables of this size are written row by row as md, html, text or chunks.`,
  );
}

function* buildDocuments(sheets: Iterable<RowSheet>, file: string) {
  for (const group of groupRows(sheets, chunkedGroups)) yield buildGroupDocument(file, group);
}

/** The warning about content that only a document with cells would contain. */
function findLosses(
  format: Format,
  { hidden, rows }: Counts,
  { options }: ExportTask,
): Pick<ExportedDocument, 'warnings' | 'coverage'> {
  if (format.name === 'csv') return { coverage: [] };
  const formulas = options.include_formulas ? 'formulas, ' : '';
  return {
    warnings: [
      `The table is large, so its ${rows} rows were read one by one: ${formulas}charts, pictures, comments, headers and footers of the sheets are left out.`,
    ],
    coverage: hidden === 0 ? [] : [{ kind: 'hidden sheet', count: hidden, words: 0, in_json: false }],
  };
}
