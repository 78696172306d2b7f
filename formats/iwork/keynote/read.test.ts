import { zipSync } from 'fflate';
import { toMarkdown } from '../../../document';
import { checkTree } from '../../../document/validate';
import { convertBytes } from '../../convert';
import { archive, drawable, type Field, pair, reference } from '../iwa/iwa-test-support';
import { keynoteTypes as kinds, types } from '../iwa/message-types';

type Objects = Parameters<typeof archive>[0];
const storage = (text: string, ...fields: Field[]): [number, Field[]] => [types.storage, [[3, text], ...fields]];
const shape = (place: readonly [number, number], text: number, ...more: Field[]): Field[] => [
  [1, [[1, drawable(place, ...more)]]],
  [4, reference(text)],
];
const placeholder = (place: readonly [number, number], text: number): [number, Field[]] => [
  kinds.placeholder,
  [[1, shape(place, text)]],
];
const grid: Field[] = [
  [1, '2024'],
  [1, '2025'],
  [2, 'Q1'],
  [2, 'Q2'],
  ...[
    [1, 2.5],
    [3, 4],
  ].map((row): Field => [3, row.map((value): Field => [1, [[1, { double: value }]]])]),
];

const objects: Objects = {
  1: [kinds.document, [[2, reference(2)]]],
  2: [
    kinds.show,
    [
      [
        3,
        [
          [2, reference(3)],
          [2, reference(4)],
          [2, reference(3)],
        ],
      ],
      [4, pair(1920, 1080)],
    ],
  ],
  3: [kinds.slideNode, [[2, reference(10)]]],
  4: [
    kinds.slideNode,
    [
      [2, reference(20)],
      [4, 1],
    ],
  ],
  10: [
    kinds.slide,
    [
      [5, reference(11)],
      [6, reference(12)],
      [17, reference(60)],
      [27, reference(14)],
      ...[15, 12, 17, 11, 18, 19].map((id): Field => [42, reference(id)]),
    ],
  ],
  11: placeholder([50, 50], 31),
  12: placeholder([50, 200], 32),
  14: [kinds.note, [[1, reference(34)]]],
  15: [types.shape, shape([50, 900], 35, [6, reference(40)])],
  17: [
    types.chart,
    [
      [1, drawable([50, 400])],
      [
        10_000,
        [
          [1, 1],
          [5, 1],
          [7, grid],
          [10, reference(41)],
        ],
      ],
    ],
  ],
  18: [
    types.group,
    [
      [1, drawable([500, 700])],
      [2, reference(21)],
    ],
  ],
  19: [
    types.movie,
    [
      [1, drawable([0, 0])],
      [9, 1],
    ],
  ],
  20: [
    kinds.slide,
    [
      [5, reference(22)],
      [17, reference(60)],
      [7, reference(23)],
    ],
  ],
  21: [types.shape, shape([5, 5], 36)],
  22: placeholder([0, 0], 37),
  23: [types.shape, shape([10, 10], 38)],
  31: storage('The title'),
  32: storage('One\rTwo'),
  34: storage('Speak slowly'),
  35: storage('At the bottom'),
  36: storage('In a group'),
  37: storage('Title turned off'),
  38: storage('On a skipped slide'),
  40: [
    types.comment,
    [
      [1, 'Really?'],
      [3, reference(42)],
      [4, reference(43)],
    ],
  ],
  41: [
    5023,
    [
      [
        10_000,
        [
          [21, 1],
          [23, 'Sales'],
        ],
      ],
    ],
  ],
  42: [types.author, [[1, 'Ada']]],
  43: [types.comment, [[1, 'Yes']]],
  60: [
    kinds.templateSlide,
    [
      [5, reference(61)],
      [
        28,
        [
          [1, 'Text'],
          [2, reference(62)],
        ],
      ],
      ...[61, 62, 63].map((id): Field => [42, reference(id)]),
    ],
  ],
  61: placeholder([0, 0], 71),
  62: [types.shape, shape([0, 0], 71)],
  63: [types.shape, shape([0, 1000], 72)],
  71: storage('Hint for the author'),
  72: storage('Acme Ltd'),
};
const deck = (content: Objects) =>
  zipSync({ 'Index/Document.iwa': archive(content), 'Index/Slide.iwa': new Uint8Array() });
const convert = (content: Objects, name = 'talk.key') => convertBytes({ bytes: deck(content), name });

test('a slide has its title first, then its shapes from top to bottom, and the data of its charts', async () => {
  const { document, format } = await convert(objects);
  expect(format).toBe('iwork_keynote');
  checkTree(document);
  expect(toMarkdown(document, { compactTables: true })).toBe(
    [
      '# The title',
      'One',
      'Two',
      'Sales',
      '<!-- image -->',
      'Bar chart',
      '|  | 2024 | 2025 |\n| - | - | - |\n| Q1 | 1 | 3 |\n| Q2 | 2.5 | 4 |',
      'In a group',
      'At the bottom',
      'On a skipped slide',
    ].join('\n\n'),
  );
});

test('positions are those of the page, also within groups', async () => {
  const { document } = await convert(objects);
  expect(document.pages['1']?.size).toEqual({ width: 1920, height: 1080 });
  const grouped = document.texts.find(({ text }) => text === 'In a group');
  expect(grouped?.prov).toEqual([
    { page_no: 1, bbox: { l: 505, t: 705, r: 605, b: 725, coord_origin: 'TOPLEFT' }, charspan: [0, 10] },
  ]);
});

test('notes, comments, texts of the template and titles that are turned off are on their layers; sound is counted', async () => {
  const { document, coverage } = await convert(objects);
  const other = document.texts.filter(({ content_layer: layer }) => layer !== 'body');
  expect(other.map(({ content_layer: layer, text }) => [layer, text])).toEqual([
    ['notes', '[author: Ada]: Really?'],
    ['notes', 'Yes'],
    ['furniture', 'Acme Ltd'],
    ['notes', 'Speak slowly'],
    ['invisible', 'Title turned off'],
  ]);
  expect(coverage).toContainEqual({ kind: 'sound', count: 1, words: 0, in_json: false });
  expect(document.groups.find(({ name }) => name === 'slide-1')?.meta).toEqual({ docloom__hidden: true });
});

test('content decides over the name, and a key of another program is not a presentation', async () => {
  expect((await convert(objects, 'talk.zip')).format).toBe('iwork_keynote');
  const pem = Buffer.from('-----BEGIN PRIVATE KEY-----\n');
  await expect(convertBytes({ bytes: pem, name: 'server.key' })).rejects.toMatchObject({ code: 'FORMAT_UNSUPPORTED' });
});

test.each([
  ['a presentation of 2009', { 'index.apxl': new Uint8Array(4) }, 'FORMAT_UNSUPPORTED'],
  ['a container without archives', { 'readme.txt': new Uint8Array(4) }, 'DOCUMENT_CORRUPT'],
  ['archives without slides', { 'Index/Document.iwa': archive({ 9: [9, []] }) }, 'DOCUMENT_CORRUPT'],
])('%s is refused', async (_, entries, code) => {
  await expect(convertBytes({ bytes: zipSync(entries), name: 'talk.key' })).rejects.toMatchObject({ code });
});
