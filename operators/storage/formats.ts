/** Formats of whole documents. */
export const documentFormats = {
  md: { ext: 'md', mediaType: 'text/markdown; charset=utf-8' },
  html: { ext: 'html', mediaType: 'text/html; charset=utf-8' },
  json: { ext: 'json', mediaType: 'application/json' },
} as const;
export type DocumentFormat = keyof typeof documentFormats;

/** Formats of the rows of a document. */
export const rowFormats = {
  parquet: { ext: 'parquet', mediaType: 'application/vnd.apache.parquet' },
  jsonl: { ext: 'jsonl', mediaType: 'application/x-ndjson; charset=utf-8' },
  csv: { ext: 'csv', mediaType: 'text/csv; charset=utf-8' },
} as const;
export type RowFormat = keyof typeof rowFormats;
