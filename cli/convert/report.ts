import { SingleBar, Presets } from 'cli-progress';
import type { ExportedDocument } from '../../services/conversion/export';

/** What became of one file. */
export interface ConvertedFile {
  source: string;
  status: 'success' | 'partial_success' | 'failure' | 'skipped';
  format: string | null;
  pages: number;
  seconds: number;
  /** Paths of what was written. */
  outputs: string[];
  /** How many of them took the place of a file. */
  replaced: number;
  /** Empty unless something failed, was left out or skipped. */
  messages: string[];
  /** What the file holds and Markdown, HTML and text do not, by kind. */
  coverage?: NonNullable<ExportedDocument['coverage']>;
}

/** Counts of a whole call. */
export interface ConvertTotals {
  documents: number;
  succeeded: number;
  partially_succeeded: number;
  failed: number;
  skipped: number;
  /** Output files that took the place of others. */
  replaced: number;
  pages: number;
  seconds: number;
}

/** Counts the files; `seconds` is the time of the call. */
export function totalsOf(files: readonly ConvertedFile[], seconds: number): ConvertTotals {
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

/** More files than this are not listed one by one when they went well. */
const longestList = 50;
const signs = { success: 'done', partial_success: 'partly', failure: 'FAILED', skipped: 'skipped' } as const;

/** A table for people: a line for each file, of many only those with something to say, and the counts. `folder` is where the outputs of many went. */
export function formatReport(files: readonly ConvertedFile[], totals: ConvertTotals, folder = '.'): string {
  const isLong = files.length > longestList;
  const listed = files.filter((file) => !isLong || file.status === 'failure' || file.status === 'partial_success');
  const rows = listed.map(({ source, status, format, pages, seconds, outputs }) => [
    signs[status],
    printable(source),
    format ?? '-',
    pages > 0 ? `${pages} p.` : '',
    `${seconds.toFixed(2)} s`,
    outputs.length > 0 ? `-> ${outputs.map(printable).join(', ')}` : '',
  ]);
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(0, ...rows.map((row) => (row[column] ?? '').length)));
  const lines = listed.flatMap(({ messages }, index) => [
    (rows[index] ?? [])
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
    ...messages.map((message) => `        ${printable(message)}`),
  ]);
  const { documents, succeeded, partially_succeeded, failed, skipped, replaced, pages, seconds } = totals;
  const counts = [
    `${succeeded} of ${documents} converted${isLong ? ` into ${printable(folder)}` : ''}`,
    partially_succeeded > 0 ? `${partially_succeeded} partly` : '',
    failed > 0 ? `${failed} failed` : '',
    skipped > 0 ? `${skipped} skipped` : '',
    replaced > 0 ? `${replaced} ${replaced === 1 ? 'file' : 'files'} replaced` : '',
    `${pages} ${pages === 1 ? 'page' : 'pages'}`,
    `${seconds.toFixed(1)} s`,
  ];
  return `${[...lines, counts.filter(Boolean).join(', ')].join('\n')}\n`;
}

/** Control characters of a file name would break the table, or steer the terminal. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) =>
    JSON.stringify(character).slice(1, -1).replace('\u007f', '\\u007f'),
  );
}

/** A bar on a terminal, nothing elsewhere. */
export function createConvertProgress(stream: NodeJS.WriteStream, total: number): { done(): void; stop(): void } {
  if (!stream.isTTY || total < 2) return { done: () => undefined, stop: () => undefined };
  const bar = new SingleBar(
    {
      stream,
      hideCursor: true,
      clearOnComplete: true,
      etaBuffer: 50,
      format: '{bar} {value}/{total} documents  {eta_formatted} left',
    },
    Presets.shades_classic,
  );
  bar.start(total, 0);
  return { done: () => bar.increment(), stop: () => bar.stop() };
}
