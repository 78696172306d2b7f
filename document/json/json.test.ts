import { createDocument } from '../builder';
import { tableCell } from '../grid';
import type { DoclingDocument } from '../model';
import { documentFromJson } from './json';
import { documentToJson } from './write';

function sample(): DoclingDocument {
  const built = createDocument('sample', {
    mimetype: 'text/markdown',
    binary_hash: 18_446_744_073_709_551_615n,
    filename: 'sample.md',
  });
  built.page(1, 612, 792);
  built.text('title', 'Title "docloom:binary_hash"', {
    prov: [{ page_no: 1, bbox: { l: 1, t: 2, r: 3, b: 4, coord_origin: 'TOPLEFT' }, charspan: [0, 5] }],
  });
  const list = built.group('list');
  built.listItem('one', { parent: list, enumerated: true, marker: '1.' });
  const table = built.table({
    num_rows: 2,
    num_cols: 2,
    table_cells: [tableCell(0, 0, 'wide', { col_span: 2, column_header: true }), tableCell(1, 0, 'a')],
  });
  built.caption(table, 'The caption');
  built.code('x = 1', { language: 'Python' });
  built.picture({
    image: { mimetype: 'image/png', dpi: 72, size: { width: 1, height: 1 }, uri: 'data:image/png;base64,AA==' },
  });
  return built.document;
}

describe('documentToJson and documentFromJson', () => {
  test('a document survives a round trip', () => {
    expect(documentFromJson(documentToJson(sample()))).toEqual(sample());
    expect(documentFromJson(documentToJson(sample(), { indent: 2 }))).toEqual(sample());
  });

  test('the hash of the origin keeps all its digits', () => {
    expect(documentToJson(sample())).toContain('"binary_hash":18446744073709551615,');
    expect(documentFromJson(documentToJson(sample())).origin?.binary_hash).toBe(18_446_744_073_709_551_615n);
  });

  test('the grid repeats a spanning cell, fills gaps, and is ignored on input', () => {
    const written = JSON.parse(documentToJson(sample())) as { tables: { data: { grid: { text: string }[][] } }[] };
    expect(written.tables[0]!.data.grid.map((row) => row.map(({ text }) => text))).toEqual([
      ['wide', 'wide'],
      ['a', ''],
    ]);
    written.tables[0]!.data.grid = [];
    expect(documentFromJson(JSON.stringify(written)).tables[0]!.data).not.toHaveProperty('grid');
  });

  test('nulls are omitted on request, and accepted when read', () => {
    const text = documentToJson(sample(), { omitNulls: true });
    expect(text).not.toContain('null');
    expect(documentFromJson(text).texts[0]!.text).toBe('Title "docloom:binary_hash"');
  });

  test.each([
    ['no JSON', '{"name":', 'is not JSON'],
    ['a newer minor version', '{"name":"x","version":"1.11.0"}', 'has version 1.11.0; 1.0 to 1.10 can be read'],
    ['another major version', '{"name":"x","version":"2.0.0"}', 'has version 2.0.0'],
    ['no name', '{}', "must have the member 'name'"],
    [
      'an unknown member',
      documentToJson(sample()).replace('"label":"title"', '"label":"title","colour":"red"'),
      "unknown member 'colour'",
    ],
    [
      'a child that does not exist',
      documentToJson(sample()).replace('{"$ref":"#/groups/0"}', '{"$ref":"#/groups/7"}'),
      '#/groups/7, which does not exist',
    ],
    [
      'a parent that does not list it',
      documentToJson(sample()).replace('"parent":{"$ref":"#/groups/0"}', '"parent":{"$ref":"#/body"}'),
      'is a child of #/groups/0, but its parent is #/body',
    ],
  ])('%s is DOCUMENT_CORRUPT with the reason', (_case, text, message) => {
    expect(() => documentFromJson(text)).toThrow(
      expect.objectContaining({ code: 'DOCUMENT_CORRUPT', message: expect.stringContaining(message) as string }),
    );
  });

  test('a node that is its own ancestor is DOCUMENT_CORRUPT', () => {
    const document = sample();
    const built = createDocument('x');
    const item = built.group('section');
    const two = built.group('section', { parent: item });
    two.children.push({ $ref: item.self_ref });
    item.parent = { $ref: two.self_ref };
    built.document.body.children = [];
    expect(() => documentFromJson(documentToJson({ ...document, ...built.document }))).toThrow('is its own ancestor');
  });
});
