import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import {
  type ExportFormat,
  exportFormats,
  type ExportRows,
  readFirstPage,
} from '../../services/document-set/document-set-export';
import { reply } from './route';

/** Query parameters that choose the columns of rows. */
export const columnChoice = {
  columns: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 10_000 }), {
      maxItems: 1_000,
      description: 'Columns in the wanted order: repeated, or separated by commas. Default: all except vectors.',
    }),
  ),
  include_vectors: Type.Optional(
    Type.Boolean({ default: false, description: 'Include vectors if `columns` is absent.' }),
  ),
};

/** Query parameters of downloads of rows. */
export const rowFileQuery = {
  format: Type.Optional(
    Type.Union([Type.Literal('parquet'), Type.Literal('csv'), Type.Literal('jsonl')], { default: 'jsonl' }),
  ),
  exact: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'CSV: texts exactly as they are. Otherwise those that a spreadsheet would take for formulas get an apostrophe in front.',
    }),
  ),
  ...columnChoice,
};

/** The replies of downloads of rows. */
export const rowFileReplies = {
  200: Type.Unsafe<Readable>({ type: 'string', mediaTypes: Object.values(exportFormats) }),
};

/** Replies with the rows as a file. Fails before its first byte if they cannot be read: a started response could only break off. */
export async function replyWithRows(
  { columns, pages }: { columns: readonly string[]; pages: AsyncGenerator<Record<string, unknown>[]> },
  { format = 'jsonl', exact }: { format?: ExportFormat; exact?: boolean },
  {
    attachment,
    exportRows,
  }: { attachment: (extension: ExportFormat) => Record<string, string>; exportRows: ExportRows },
) {
  const file = exportRows(format, columns, await readFirstPage(pages), { exact });
  await once(file, 'readable');
  return reply(200, file, {
    'Content-Type': exportFormats[format],
    'Cache-Control': 'no-store',
    ...attachment(format),
  });
}

/** The choice as stores take it. */
export function buildChoice(query: { columns?: string[]; include_vectors?: boolean }) {
  const columns = query.columns?.flatMap((list) => list.split(',')).map((name) => name.trim());
  const named = columns?.filter((name) => name !== '');
  return { columns: named && named.length > 0 ? named : undefined, vectors: query.include_vectors ?? false };
}
