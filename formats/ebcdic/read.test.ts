import { convertBytes } from '../convert';
import { findCodePage, decodeEbcdic } from './code-page';

/** Encodes a text in a code page. */
function ebcdic(text: string, codePage = 'cp037'): Buffer {
  const all = decodeEbcdic(
    Uint8Array.from({ length: 256 }, (_, byte) => byte),
    codePage,
  );
  return Buffer.from(Array.from(text).map((character) => all.indexOf(character)));
}
const withLayout = (bytes: Buffer, layout: unknown) =>
  convertBytes({
    bytes,
    name: 'data.ebc',
    related: (path) =>
      path === 'data.layout.json'
        ? Buffer.from(typeof layout === 'string' ? layout : JSON.stringify(layout))
        : undefined,
  });

test('each type of record becomes a table, with numbers by type and scale', async () => {
  const layout = {
    description: 'Orders',
    encoding: 'IBM-500',
    record_type_field: { name: 'KIND', size: 1 },
    records: [
      {
        name: 'order',
        selector: '1',
        fields: [
          { name: 'NAME', size: 6 },
          { name: 'SUM', size: 3, type: 'packed_decimal', scale: 2 },
          { name: 'COUNT', size: 2, type: 'zoned_decimal' },
          { name: 'CODE', size: 2, type: 'binary' },
        ],
      },
      { name: 'unused', selector: '2', fields: [{ name: 'X', size: 1 }] },
      { name: 'line', selector: '3', fields: [{ name: 'TEXT', size: 4 }] },
    ],
  };
  const bytes = Buffer.concat([
    ...[
      ebcdic('1[Bob] ', 'cp500'),
      Buffer.from('00005d', 'hex'),
      Buffer.from('f1f2', 'hex'),
      Buffer.from('fffe', 'hex'),
    ],
    ebcdic('3abcd'),
    ...[ebcdic('1Ann   '), Buffer.from('12345c', 'hex'), Buffer.from('f0d7', 'hex'), Buffer.from('0102', 'hex')],
    ...[ebcdic('1Zoe   '), Buffer.from('4040ff', 'hex'), Buffer.from('f0f0', 'hex'), Buffer.from('0000', 'hex')],
    ebcdic('3cu'),
  ]);
  const { document, format } = await withLayout(bytes, layout);
  expect(format).toBe('ebcdic');
  expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
    ['text', 'Orders'],
    ['section_header', 'order'],
    ['section_header', 'line'],
  ]);
  expect(document.tables.map(({ data }) => data.table_cells.map(({ text }) => text))).toEqual([
    [
      ...['NAME', 'SUM', 'COUNT', 'CODE'],
      ...['[Bob]', '-0.05', '12', '-2'],
      ...['Ann', '123.45', '-7', '258'],
      ...['Zoe', '4040ff', '0', '0'],
    ],
    ['TEXT', 'abcd'],
  ]);
});

test('without a layout, lines are texts, and a file without lines consists of cards', async () => {
  const { document, warnings } = await convertBytes({ bytes: ebcdic('Hello\u0085\u0085World'), name: 'a.ebc' });
  expect(document.texts.map(({ text }) => text)).toEqual(['Hello', 'World']);
  expect(warnings).toEqual([expect.stringContaining('a.layout.json')]);
  const cards = await convertBytes({ bytes: ebcdic(`${'ONE'.padEnd(80)}${'TWO'.padEnd(80)}`), name: 'a.ebc' });
  expect(cards.document.texts.map(({ text }) => text)).toEqual(['ONE', 'TWO']);
});

test('code pages are found by any of their names', () => {
  expect(['CP37', 'ibm-1047', '0500', 'utf8', 'cp9'].map(findCodePage)).toEqual([
    'cp037',
    'cp1047',
    'cp500',
    undefined,
    undefined,
  ]);
  expect(
    [0x4a, 0x9f, 0xad].map((byte) =>
      ['cp037', 'cp500', 'cp1047', 'cp1140'].map((page) => decodeEbcdic(Uint8Array.of(byte), page)),
    ),
  ).toEqual([
    ['¢', '[', '¢', '¢'],
    ['¤', '¤', '¤', '€'],
    ['Ý', 'Ý', '[', 'Ý'],
  ]);
});

test.each([
  ['no JSON', '{', 'is not JSON'],
  ['no records', { records: [] }, 'no list of records'],
  ['an unknown code page', { encoding: 'utf8', records: [{ fields: [{ name: 'a', size: 1 }] }] }, "'utf8'"],
  [
    'a field of an unknown type',
    { records: [{ fields: [{ name: 'a', size: 1, type: 'float' }] }] },
    'records[0].fields[0]',
  ],
  ['a field without a size', { records: [{ fields: [{ name: 'a', size: 0 }] }] }, 'records[0].fields[0]'],
  ['records that are longer than the file', { records: [{ fields: [{ name: 'a', size: 99 }] }] }, 'no record'],
])('a layout with %s is rejected', async (_name, layout, message) => {
  await expect(withLayout(ebcdic('1'), layout)).rejects.toMatchObject({
    code: 'DOCUMENT_CORRUPT',
    message: expect.stringContaining(message) as string,
  });
});

test('binary data without a layout is rejected', async () => {
  await expect(convertBytes({ bytes: Buffer.alloc(100, 1), name: 'a.ebc' })).rejects.toMatchObject({
    code: 'DOCUMENT_CORRUPT',
  });
});

test('variable-length records between a header and a footer, skipped bytes, and signed and unsigned numbers are read', async () => {
  const record = (kind: string, text: string, numbers = '') => {
    const body = Buffer.concat([ebcdic(kind + text), Buffer.from(numbers, 'hex')]);
    return Buffer.concat([Buffer.from([0, body.length + 2]), body]);
  };
  const bytes = Buffer.concat([
    ebcdic('HEADER'),
    record('1', 'Ann ', 'ffffffff'),
    record('9', 'of no known kind'),
    record('1', 'Bob '),
    record('2', 'ab..cd'),
    ebcdic('END'),
  ]);
  const { document } = await withLayout(bytes, {
    header_size: 6,
    footer_size: 3,
    record_length_field: { name: 'LENGTH', size: 2, type: 'integer' },
    record_type_field: { name: 'KIND', size: 1 },
    records: [
      {
        name: 'one',
        selector: '1',
        fields: [
          { name: 'NAME', size: 4 },
          { name: 'I', size: 2, type: 'integer' },
          { name: 'U', size: 2, type: 'unsigned_integer', scale: 1 },
        ],
      },
      {
        name: 'two',
        selector: '2',
        fields: [
          { name: 'A', size: 2 },
          { name: 'GAP', size: 2, type: 'skip' },
          { name: 'B', size: 2 },
        ],
      },
    ],
  });
  const rows = document.tables.map(({ data }) => data.table_cells.map(({ text }) => text));
  expect(rows).toEqual([
    ['NAME', 'I', 'U', 'Ann', '-1', '6553.5', 'Bob', '', ''],
    ['A', 'B', 'ab', 'cd'],
  ]);
});

test('a length shorter than its own field ends the records', async () => {
  const fields = [{ name: 'A', size: 2 }];
  const layout = { record_length_field: { name: 'L', size: 1, type: 'integer' }, records: [{ fields }] };
  const { document } = await withLayout(
    Buffer.concat([Buffer.from([3]), ebcdic('ab'), Buffer.from([0]), ebcdic('cd')]),
    layout,
  );
  expect(document.tables[0]!.data.num_rows).toBe(2);
  await expect(
    withLayout(ebcdic('ab'), { ...layout, record_length_field: { name: 'L', size: 99 } }),
  ).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
});
