import { zipSync } from 'fflate';
import type { DoclingDocument } from '../../../document/model';
import { checkTree } from '../../../document/validate';
import { toMarkdown } from '../../../document/write/markdown';
import { convertBytes } from '../../convert';
import { archive, cell, decimal, double, type Field, key, reference, row, runs } from '../iwa/iwa-test-support';
import { pagesTypes, types } from '../iwa/message-types';

const style = (name: string): [number, Field[]] => [types.paragraphStyle, [[1, [[1, name]]]]];
const storage = (text: string, ...fields: Field[]): [number, Field[]] => [types.storage, [[3, text], ...fields]];

const text = 'Report\nPart\nPlain bold link.\none\ndeep\ntwo\n\ufffc\nEnd\u2028line\ufffc';
const at = (piece: string) => text.indexOf(piece);
const documentArchive = archive({
  1: [
    pagesTypes.document,
    [
      [4, reference(2)],
      [20, reference(40)],
    ],
  ],
  2: storage(
    text,
    [5, runs([0, 10], [at('Part'), 11], [at('Plain'), 12])],
    [
      6,
      [
        [
          1,
          [
            [1, 0],
            [2, 0],
          ],
        ],
        [
          1,
          [
            [1, at('deep')],
            [2, 1],
          ],
        ],
        [
          1,
          [
            [1, at('two')],
            [2, 0],
          ],
        ],
      ],
    ],
    [7, runs([0, 20], [at('one'), 21], [at('\ufffc'), 20])],
    [8, runs([at('bold'), 13], [at('bold') + 4, undefined])],
    [9, runs([at('\ufffc'), 30])],
    [11, runs([at('link'), 14], [at('link') + 4, undefined])],
    [16, runs([text.length - 1, 50])],
    [17, runs([0, 60])],
    [23, runs([0, 70])],
  ),
  10: style('Title'),
  11: [types.paragraphStyle, [[1, [[3, reference(15)]]]]],
  12: style('Body'),
  13: [types.characterStyle, [[11, [[1, 1]]]]],
  14: [types.link, [[2, 'https://example.org/']]],
  15: style('Heading 2'),
  20: [types.listStyle, [[11, 0]]],
  21: [
    types.listStyle,
    [
      [11, 2],
      [11, 3],
      [16, '•'],
    ],
  ],
  30: [types.attachment, [[1, reference(31)]]],
  31: [types.tableInfo, [[2, reference(32)]]],
  32: [
    types.tableModel,
    [
      [6, 2],
      [7, 3],
      [9, 1],
      [
        4,
        [
          [
            3,
            [
              [
                1,
                [
                  [1, 0],
                  [2, reference(33)],
                ],
              ],
            ],
          ],
          [4, reference(34)],
          [17, reference(35)],
        ],
      ],
    ],
  ],
  33: [
    types.tile,
    [
      row(0, [cell(3, 8, key(1)), cell(3, 8, key(2)), cell(9, 16, key(1))]),
      row(1, [cell(2, 1, decimal()), cell(6, 2, double(1)), cell(5, 4, double(86_400))]),
    ],
  ],
  34: [
    types.dataList,
    [
      [
        3,
        [
          [1, 1],
          [3, 'A'],
        ],
      ],
      [
        3,
        [
          [1, 2],
          [3, 'B'],
        ],
      ],
    ],
  ],
  35: [
    types.dataList,
    [
      [
        3,
        [
          [1, 1],
          [9, reference(36)],
        ],
      ],
    ],
  ],
  36: [6_218, [[1, reference(37)]]],
  37: storage('Rich'),
  40: [
    10_012,
    [
      [
        1,
        [
          [1, 0],
          [4, [[1, reference(41)]]],
        ],
      ],
    ],
  ],
  41: [types.shape, [[2, reference(42)]]],
  42: storage('In a box'),
  50: [types.note, [[2, reference(51)]]],
  51: storage('A note'),
  60: [
    pagesTypes.pageMaster,
    [
      [23, reference(61)],
      [24, reference(61)],
    ],
  ],
  61: [
    pagesTypes.headersAndFooters,
    [
      [1, reference(62)],
      [2, reference(63)],
    ],
  ],
  62: storage('Head'),
  63: storage('Foot'),
  70: [types.commentField, [[1, reference(71)]]],
  71: [
    types.comment,
    [
      [1, 'Really?'],
      [3, reference(72)],
    ],
  ],
  72: [types.author, [[1, 'Ann']]],
});

async function read(files: Record<string, Uint8Array>): Promise<DoclingDocument> {
  const { document, format } = await convertBytes({ bytes: zipSync(files), name: 'note.pages' });
  expect(format).toBe('iwork_pages');
  checkTree(document);
  return document;
}
const markdown = [
  '# Report',
  '### Part',
  'Plain **bold** [link](https://example.org/) .',
  '- one\n    1. deep\n- two',
  '| A | B | Rich |\n| - | - | - |\n| 12.5 | TRUE | 2001-01-02 00:00:00 |',
  'End  \nline',
  'In a box',
  'A note',
].join('\n\n');

describe('Pages 5 and later', () => {
  test('titles, headings, styles, links, lists, tables, boxes and notes are read from the archives', async () => {
    const document = await read({ 'Index/Document.iwa': documentArchive });
    expect(toMarkdown(document, { compactTables: true })).toBe(markdown);
    expect(document.tables[0]?.data.table_cells.map(({ column_header: isHeader }) => isHeader)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test('page headers and footers are furniture, once each; comments are notes with their author', async () => {
    const { texts } = await read({ 'Index/Document.iwa': documentArchive });
    const others = texts.filter((item) => item.content_layer !== 'body');
    expect(others.map(({ label, text: content, content_layer: layer }) => [label, content, layer])).toEqual([
      ['page_header', 'Head', 'furniture'],
      ['page_footer', 'Foot', 'furniture'],
      ['text', '[author: Ann]: Really?', 'notes'],
    ]);
  });

  test('archives in a nested container are found', async () => {
    const inner = zipSync({ 'Document.iwa': documentArchive });
    expect(toMarkdown(await read({ 'Index.zip': inner }), { compactTables: true })).toBe(markdown);
  });

  test('a picture has the bytes of its file', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
      'base64',
    );
    const document = await read({
      'Index/Document.iwa': archive({
        1: [pagesTypes.document, [[4, reference(2)]]],
        2: storage('\ufffc', [9, runs([0, 3])]),
        3: [types.attachment, [[1, reference(4)]]],
        4: [
          types.group,
          [
            [2, reference(5)],
            [2, reference(4)],
          ],
        ],
        5: [types.image, [[11, reference(9)]]],
      }),
      'Index/Metadata.iwa': archive({
        100: [
          types.packageMetadata,
          [
            [
              4,
              [
                [1, 9],
                [3, 'a.png'],
                [4, 'a-9.png'],
              ],
            ],
          ],
        ],
      }),
      'Data/a-9.png': png,
    });
    expect(document.pictures).toMatchObject([{ image: { uri: `data:image/png;base64,${png.toString('base64')}` } }]);
  });

  test.each([
    [
      'a protected document',
      { 'Index/Document.iwa': documentArchive, '.iwph': new Uint8Array(1) },
      'DOCUMENT_ENCRYPTED',
    ],
    ['no text', { 'Index/Document.iwa': archive({ 1: [pagesTypes.document, []] }) }, 'DOCUMENT_CORRUPT'],
    ['damaged blocks', { 'Index/Document.iwa': new Uint8Array([1, 2, 3]) }, 'DOCUMENT_CORRUPT'],
    ['blocks that end early', { 'Index/Document.iwa': documentArchive.subarray(0, 50) }, 'DOCUMENT_CORRUPT'],
    ['nothing of Pages', { 'a.txt': new Uint8Array(3) }, 'DOCUMENT_CORRUPT'],
  ])('%s: %s', async (_, files: Record<string, Uint8Array>, code) => {
    await expect(convertBytes({ bytes: zipSync(files), name: 'note.pages' })).rejects.toMatchObject({ code });
  });

  test('archives above the limit are rejected', async () => {
    const bytes = zipSync({ 'Index/Document.iwa': documentArchive });
    await expect(
      convertBytes({ bytes, name: 'note.pages', limits: { maxExpandedBytes: documentArchive.length - 20 } }),
    ).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE' });
  });
});

test('three hundred damaged archives each give a document or a coded error', async () => {
  let state = 7;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let copy = 0; copy < 300; copy++) {
    const bytes = documentArchive.slice();
    // After the block headers, so that the damage reaches the objects.
    for (let change = 0; change <= copy % 9; change++) bytes[12 + random(bytes.length - 12)] = random(256);
    const files = { 'Index/Document.iwa': bytes };
    const outcome = await convertBytes({ bytes: zipSync(files), name: 'note.pages' }).then(
      ({ document }) => (checkTree(document), 'document'),
      (error: { code: string }) => error.code,
    );
    expect(['document', 'DOCUMENT_CORRUPT', 'DOCUMENT_TOO_LARGE']).toContain(outcome);
  }
});
