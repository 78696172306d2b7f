import { countNouns } from '../../model/count-nouns';
import type { ErrorCode } from '../../model/errors';
import type { ExportedDocument } from '../../services/conversion/export';

/** The result for one file. */
export interface ConvertedFile {
  source: string;
  status: 'success' | 'partial_success' | 'failure' | 'skipped';
  format: string | null;
  pages: number;
  seconds: number;
  /** Paths of the files written. */
  outputs: string[];
  /** Number of outputs that replaced an existing file. */
  replaced: number;
  /** Code of the error that the first of `messages` describes. */
  code?: string;
  /** Empty unless something failed, was left out, or was skipped. */
  messages: string[];
  /** Content of the file that Markdown, HTML and text omit, by kind. */
  coverage?: NonNullable<ExportedDocument['coverage']>;
  /** PDF only: the share of the pages' letters that the document contains, and the pages with missing text. */
  page_text?: NonNullable<ExportedDocument['textShare']>;
}

/** Totals of one command. */
export interface ConvertTotals {
  documents: number;
  succeeded: number;
  partially_succeeded: number;
  failed: number;
  skipped: number;
  /** Number of output files that replaced others. */
  replaced: number;
  pages: number;
  seconds: number;
}

/** The code of a failure, also where none is given. `isRefused` is true for a file that was named and that no format can read. */
export function findFailureCode(
  { status, failureCode }: Pick<ExportedDocument, 'status' | 'failureCode'>,
  isRefused: boolean,
): ErrorCode | undefined {
  if (failureCode !== undefined) return failureCode;
  if (isRefused) return 'FORMAT_UNSUPPORTED';
  return status === 'failure' ? 'CONVERSION_FAILED' : undefined;
}

/** Counts the files; `seconds` is the duration of the command. */
export function computeTotals(files: readonly ConvertedFile[], seconds: number): ConvertTotals {
  const count = (status: ConvertedFile['status']) => files.filter((file) => file.status === status).length;
  return {
    documents: files.length,
    succeeded: count('success'),
    partially_succeeded: count('partial_success'),
    failed: count('failure'),
    skipped: count('skipped'),
    replaced: files.reduce((sum, { replaced }) => sum + replaced, 0),
    pages: files.reduce((sum, { pages }) => sum + pages, 0),
    seconds: Math.round(seconds * 1_000) / 1_000,
  };
}

/** Above this number, successful files are not listed individually. */
const longestList = 50;
const signs = { success: 'done', partial_success: 'partly', failure: 'FAILED', skipped: 'skipped' } as const;

/**
 * The report for people: a line per file (for many files, only those with messages), and the totals. `folder` is the output
 * folder when there are many files.
 */
export function formatReport(files: readonly ConvertedFile[], totals: ConvertTotals, folder = '.'): string {
  const isLong = files.length > longestList;
  const listed = files.filter((file) => !isLong || file.status === 'failure' || file.status === 'partial_success');
  const rows = listed.map(({ source, status, format, pages, seconds, outputs }) => [
    signs[status],
    toPrintable(source),
    format ?? '-',
    pages > 0 ? `${pages} p.` : '',
    `${seconds.toFixed(2)} s`,
    outputs.length > 0 ? `-> ${outputs.map(toPrintable).join(', ')}` : '',
  ]);
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const alignedRows = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  const lines = listed.flatMap(({ messages, code }, index) => [
    alignedRows[index]?.trimEnd(),
    ...messages.map((message, at) => `        ${toPrintable(message)}${code && at === 0 ? ` (${code})` : ''}`),
  ]);
  const { documents, succeeded, partially_succeeded, failed, skipped, replaced, pages, seconds } = totals;
  const counts = [
    `${succeeded} of ${documents} converted${isLong ? ` into ${toPrintable(folder)}` : ''}`,
    partially_succeeded > 0 ? `${partially_succeeded} partly` : '',
    failed > 0 ? `${failed} failed` : '',
    skipped > 0 ? `${skipped} skipped` : '',
    replaced > 0 ? `${countNouns(replaced, 'file')} replaced` : '',
    countNouns(pages, 'page'),
    `${seconds.toFixed(1)} s`,
  ];
  return `${[...lines, counts.filter(Boolean).join(', ')].join('\n')}\n`;
}

/** Control characters in a file name would break the table or control the terminal. */
export function toPrintable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) =>
    JSON.stringify(character).slice(1, -1).replace('\u007f', '\\u007f'),
  );
}
