import { createDocument } from '../builder';
import { tableCell } from '../grid';
import type { DoclingDocument } from '../model';
import { documentToJsonPieces } from './pieces';
import { documentToJson, type JsonOptions } from './write';

function whole(document: DoclingDocument, options?: JsonOptions): string {
  return Buffer.concat([...documentToJsonPieces(document, options)]).toString();
}
function sample(): DoclingDocument {
  const builder = createDocument('näme "x"', {
    mimetype: 'text/html',
    binary_hash: 18_446_744_073_709_551_615n,
    filename: 'a.html',
    uri: null,
  });
  builder.page(1, 10, 20);
  builder.text('title', 'A\nB \u2028 😀', {
    prov: [{ page_no: 1, bbox: { l: 0, t: 1, r: 2, b: 3 }, charspan: [0, 1] }],
  });
  const list = builder.group('list');
  for (let index = 0; index < 2_500; index++) builder.listItem(`item ${index}`, { parent: list });
  const cells = [tableCell(0, 0, 'wide', { col_span: 2, column_header: true }), tableCell(1, 1, '{"a": [1]}')];
  builder.table({ num_rows: 2, num_cols: 2, table_cells: cells });
  builder.table({ num_rows: 0, num_cols: 0, table_cells: [] });
  builder.picture();
  return builder.document;
}

describe('documentToJsonPieces', () => {
  test.each<JsonOptions>([
    {},
    { omitNulls: true },
    { indent: 2 },
    { omitNulls: true, indent: 2 },
    { indent: 4 },
    { emptyPlaces: true },
  ])('yields the bytes of documentToJson with %j', (options) => {
    const document = sample();
    expect(whole(document, options)).toBe(documentToJson(document, options));
    const empty = createDocument('empty').document;
    expect(whole(empty, options)).toBe(documentToJson(empty, options));
  });

  test('a large table is written in pieces', () => {
    const builder = createDocument('table');
    const cells = Array.from({ length: 30_000 }, (_, index) =>
      tableCell(Math.floor(index / 10), index % 10, `cell ${index}`),
    );
    builder.table({ num_rows: 3_000, num_cols: 10, table_cells: cells });
    const sizes = [...documentToJsonPieces(builder.document)].map(({ length }) => length);
    expect(sizes.length).toBeGreaterThan(20);
    expect(Math.max(...sizes)).toBeLessThan(1_000_000);
    expect(whole(builder.document)).toBe(documentToJson(builder.document));
  });
});
