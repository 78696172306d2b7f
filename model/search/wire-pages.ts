import { type Static, Type } from '@sinclair/typebox';
import { count } from '../wire-parts';

const points = Type.Union([Type.Number(), Type.Null()], {
  description: 'In points; null where the document has no pages.',
});
const Box = Type.Array(Type.Number(), {
  description: 'Left, top, right, bottom in points from the top left of the page.',
});

/** The pages of a document and its headings. */
export const DocumentPages = Type.Object(
  {
    document_id: Type.String(),
    name: Type.String(),
    kind: Type.Union([Type.Literal('pages'), Type.Literal('parts')], {
      description: '`parts`: the document has no pages and is split into parts of 200 items.',
    }),
    has_images: Type.Boolean({
      description: 'Whether page images are available: for PDF files and images whose original is stored.',
    }),
    pages: Type.Array(Type.Object({ page: Type.Integer({ minimum: 1 }), width: points, height: points, items: count })),
    headings: Type.Array(
      Type.Object({ ref: Type.String(), text: Type.String(), level: count, page: Type.Integer({ minimum: 1 }) }),
      { description: 'At most 5,000.' },
    ),
  },
  { $id: 'DocumentPages' },
);
export type DocumentPages = Static<typeof DocumentPages>;

const Cell = Type.Object({
  row: count,
  column: count,
  row_span: Type.Integer({ minimum: 1 }),
  column_span: Type.Integer({ minimum: 1 }),
  text: Type.String(),
  is_header: Type.Boolean(),
  box: Type.Optional(Box),
});

/** The content of one page. */
export const DocumentPage = Type.Object(
  {
    page: Type.Integer({ minimum: 1 }),
    width: points,
    height: points,
    items: Type.Array(
      Type.Object({
        ref: Type.String({ description: 'As in the DoclingDocument, such as `#/texts/3`.' }),
        label: Type.String(),
        depth: Type.Integer({ minimum: 0, description: 'Depth in the document tree.' }),
        order: Type.Optional(
          Type.Integer({
            minimum: 1,
            description: 'Its place in the reading order of the document. Groups have none.',
          }),
        ),
        layer: Type.String({ description: '`body`, or for page headers and the like `furniture` and others.' }),
        text: Type.String(),
        is_cut: Type.Optional(Type.Boolean({ description: 'The text or the cells continue.' })),
        level: Type.Optional(Type.Integer({ minimum: 0, description: 'Of headings; 0 is the title.' })),
        boxes: Type.Array(Box),
        table: Type.Optional(Type.Object({ rows: count, columns: count, cells: Type.Array(Cell) })),
      }),
      { description: 'In reading order.' },
    ),
    markdown: Type.Array(Type.Object({ text: Type.String(), refs: Type.Array(Type.String()) }), {
      description: 'The Markdown of the page in pieces, with the items of each.',
    }),
    uncovered: Type.Optional(
      Type.Array(Type.Object({ text: Type.String(), box: Box }), {
        description:
          'Words on the page that no item contains, at most 1,000. Present if requested and the page can be drawn.',
      }),
    ),
  },
  { $id: 'DocumentPage' },
);
export type DocumentPage = Static<typeof DocumentPage>;
