import { Type } from '@sinclair/typebox';

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

/** Query parameter of downloads as CSV. */
export const exactCells = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'CSV: texts exactly as they are. Otherwise those that a spreadsheet would take for formulas get an apostrophe in front.',
  }),
);

/** The choice as stores take it. */
export function buildChoice(query: { columns?: string[]; include_vectors?: boolean }) {
  const columns = query.columns?.flatMap((list) => list.split(',')).map((name) => name.trim());
  const named = columns?.filter((name) => name !== '');
  return { columns: named && named.length > 0 ? named : undefined, vectors: query.include_vectors ?? false };
}
