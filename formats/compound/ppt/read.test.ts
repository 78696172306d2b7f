import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { DoclingDocument } from '../../../document/model';
import { treeProblems } from '../../../document/validate';
import { toMarkdown } from '../../../document/write/markdown';
import { convertBytes } from '../../convert';
import { pngHeader } from '../../ooxml/test-support';
import { createRc4Stream } from '../crypt/rc4';
import {
  artProperties,
  artRecord,
  artStoreEntry,
  joinBytes,
  compoundFile,
  failuresOfDamaged,
  type Piece,
} from '../test-support';

const atom = (type: number, ...pieces: Piece[]) => artRecord(0, type, ...pieces);
const container = (type: number, ...children: Uint8Array[]) => artRecord(0xf, type, ...children);
const list = (instance: number, ...children: Uint8Array[]) => artRecord((instance << 4) | 0xf, 0xff0, ...children);
const text = (kind: number, characters: string, ...look: Uint8Array[]) => [
  atom(0xf9f, [4, kind]),
  atom(0xfa0, Buffer.from(characters, 'utf16le')),
  ...look,
];
type Box = readonly [top: number, left: number, right: number, bottom: number];
const shape = (box: Box, ...inner: Uint8Array[]) =>
  container(
    0xf004,
    atom(0xf00a, [4, 1], [4, 0]),
    atom(0xf010, ...box.map((at) => [2, at] as const)),
    container(0xf00d, ...inner),
  );
const cell = (box: Box, characters: string) => {
  const [top, left, right, bottom] = box;
  const anchor = atom(0xf00f, ...[left, top, right, bottom].map((at) => [4, at] as const));
  return container(0xf004, atom(0xf00a, [4, 1], [4, 0]), anchor, container(0xf00d, ...text(4, characters)));
};
const page = (type: number, notesId: number, ...shapes: Uint8Array[]) =>
  container(
    type,
    atom(0x3ef, [4, 0], Buffer.alloc(12), [4, notesId], [4, 0]),
    container(0x40c, container(0xf002, container(0xf003, ...shapes))),
  );
const persist = (id: number, slideId: number) => atom(0x3f3, [4, id], [4, 0], [4, 0], [4, slideId], [4, 0]);

/** A file with a document and the parts that it references as 2, 3, … */
function presentation(
  lists: Uint8Array[],
  parts: Uint8Array[],
  { token = 0xe391c05f, pictures = new Uint8Array() }: { token?: number; pictures?: Uint8Array } = {},
): Uint8Array {
  const document = container(0x3e8, atom(0x3e9, [4, 5760], [4, 4320], Buffer.alloc(32)), ...lists);
  const all = [document, ...parts];
  let at = 0;
  const offsets = all.map((part) => (at += part.length) - part.length);
  const directory = atom(0x1772, [4, (all.length << 20) | 1], ...offsets.map((offset) => [4, offset] as const));
  const editAt = at + directory.length;
  // The previous edit refers to itself: reading must not loop.
  const edit = atom(0xff5, [4, 0], [4, 0], [4, editAt], [4, at], [4, 1], [4, 0], [4, 0]);
  const user = atom(0xff6, [4, 20], [4, token], [4, editAt], [4, 0]);
  return compoundFile({
    'PowerPoint Document': joinBytes(...all, directory, edit),
    'Current User': user,
    Pictures: pictures,
  });
}
/** Encrypts a presentation with RC4 and keys of 128 bits (MS-PPT 2.3.7, MS-OFFCRYPTO 2.3.5). */
function encryptedPresentation(lists: Uint8Array[], parts: Uint8Array[], password: string, picture?: Uint8Array[]) {
  const sha1 = (...data: Uint8Array[]) => createHash('sha1').update(Buffer.concat(data)).digest();
  const number = (value: number) => Buffer.from(new Uint32Array([value]).buffer);
  const salt = Buffer.alloc(16, 7);
  const base = sha1(salt, Buffer.from(password, 'utf16le'));
  const encrypt = (id: number, bytes: Uint8Array): Buffer => {
    const keys = createRc4Stream(sha1(base, number(id)).subarray(0, 16), bytes.length);
    return Buffer.from(bytes.map((byte, at) => byte ^ keys[at]!));
  };
  const proof = Buffer.alloc(16, 9);
  const proven = encrypt(0, Buffer.concat([proof, sha1(proof)]));
  const header = Buffer.concat([...[4, 0, 0x6801, 0x8004, 128, 1, 0, 0].map(number)]);
  const session = atom(
    0x2f14,
    [2, 2],
    [2, 2],
    [4, 4],
    [4, header.length],
    header,
    [4, 16],
    salt,
    proven.subarray(0, 16),
    [4, 20],
    proven.subarray(16),
  );
  const document = container(0x3e8, atom(0x3e9, [4, 5760], [4, 4320], Buffer.alloc(32)), ...lists);
  const all = [...[document, ...parts].map((part, index) => encrypt(index + 1, part)), session];
  let at = 0;
  const offsets = all.map((part) => (at += part.length) - part.length);
  const directory = atom(0x1772, [4, (all.length << 20) | 1], ...offsets.map((offset) => [4, offset] as const));
  const editAt = at + directory.length;
  const edit = atom(0xff5, [4, 0], [4, 0], [4, 0], [4, at], [4, 1], [4, 0], [4, 0], [4, all.length]);
  const user = atom(0xff6, [4, 20], [4, 0xf3d1c4df], [4, editAt], [4, 0]);
  return compoundFile({
    'PowerPoint Document': joinBytes(...all, directory, edit),
    'Current User': user,
    Pictures: joinBytes(...(picture ?? []).map((field) => encrypt(0, field))),
  });
}
async function readFile(bytes: Uint8Array, name = 'a.ppt'): Promise<DoclingDocument> {
  const { document, format } = await convertBytes({ bytes, name });
  expect(format).toBe('ppt');
  expect(treeProblems(document)).toEqual([]);
  return document;
}
const shown = ({ texts }: DoclingDocument) => texts.map(({ label, text: own }) => [label, own]);

test('slides are in list order, shapes from top to bottom, with their notes', async () => {
  // Six characters without a bullet, then six with one.
  const look = atom(0xfa1, [4, 6], [2, 0], [4, 0x81], [2, 0], [2, 0x2022], [4, 7], [2, 0], [4, 1], [2, 1]);
  const first = page(
    0x3ee,
    77,
    shape([400, 0, 80, 480], ...text(1, 'plain\rbullet', look)),
    shape([16, 8, 800, 160], ...text(0, 'Title')),
  );
  const second = page(0x3ee, 0, shape([0, 0, 8, 8], atom(0xf9e, [4, 1])));
  const note = page(0x3f0, 0, shape([0, 0, 8, 8], ...text(2, 'say\rthis')), shape([0, 0, 8, 8], ...text(4, 'page 1')));
  const lists = [
    list(0, persist(3, 256), ...text(0, 'unused'), ...text(1, 'one\u000bline\rtwo'), persist(2, 257), persist(2, 258)),
    list(2, persist(4, 77)),
  ];
  const document = await readFile(presentation(lists, [first, second, note]));
  expect(shown(document)).toEqual([
    ['list_item', 'one line'],
    ['list_item', 'two'],
    ['title', 'Title'],
    ['paragraph', 'plain'],
    ['list_item', 'bullet'],
    ['text', 'say\nthis'],
    ['text', 'page 1'],
  ]);
  expect(document.texts[5]!.content_layer).toBe('notes');
  expect(document.texts[2]!.prov[0]).toMatchObject({ page_no: 2, bbox: { l: 1, t: 538, r: 100, b: 520 } });
  expect(Object.keys(document.pages)).toEqual(['1', '2']);
});

const additions = (...records: Uint8Array[]) =>
  container(0x1388, container(0x138a, atom(0xfba, Buffer.from('___PPT9', 'utf16le')), atom(0x138b, ...records)));
// No number, then a numbering that starts at four.
const numbers = atom(0xfac, Buffer.alloc(12), [4, 0x3000000], [2, 1], [2, 3], [2, 4], [4, 0], [4, 0]);
// No bullet data; the last ten characters have the second numbering.
const numbered = atom(0xfa1, [4, 16], [2, 0], [4, 0], [4, 6], [4, 0], [4, 10], [4, 0x400], [2, 0x400]);

test('numbered items start at the number set by their shape or the document', async () => {
  const inShape = shape([0, 0, 8, 8], ...text(1, 'first\rone\rnext', numbered));
  const ownNumbers = container(
    0xf004,
    ...[0xf00a, 0xf010].map((type) => atom(type, Buffer.alloc(8))),
    container(0xf011, additions(numbers)),
    container(0xf00d, ...text(1, 'first\rfour\rfive', numbered)),
  );
  const fromOutline = shape([0, 0, 8, 8], atom(0xf9e, [4, 0]));
  const slides = [page(0x3ee, 0, inShape), page(0x3ee, 0, ownNumbers), page(0x3ee, 0, fromOutline)];
  const outlineNumbers = container(0xfae, atom(0xfaf, [4, 258], [4, 1]), numbers);
  const lists = [
    container(0x7d0, additions(outlineNumbers)),
    list(0, persist(2, 256), persist(3, 257), persist(4, 258), ...text(1, 'first\rfour\rfive', numbered)),
  ];
  const { texts } = await readFile(presentation(lists, slides));
  const plain = ['', '', ''];
  const counted = ['', '4.', '5.'];
  expect(texts.map(({ marker }) => marker)).toEqual([...plain, ...counted, ...counted]);
  expect(texts.map(({ enumerated }) => enumerated === true)).toEqual(
    [...plain, ...counted, ...counted].map((marker) => marker !== ''),
  );
});

test('shapes in one row are read from the left', async () => {
  const at = (top: number, left: number, characters: string) =>
    shape([top, left, left + 8, top + 8], ...text(4, characters));
  const slide = page(0x3ee, 0, at(100, 50, 'right'), at(110, 0, 'left'), at(400, 0, 'low'));
  expect(shown(await readFile(presentation([list(0, persist(2, 256))], [slide]))).map(([, own]) => own)).toEqual([
    'left',
    'right',
    'low',
  ]);
});

test('a group marked as a table becomes a table, with spans derived from the edges of its cells', async () => {
  const isTable = artProperties(0xf122, [0x39f, 1]);
  const head = container(0xf004, atom(0xf00a, [4, 1], [4, 1]), isTable, atom(0xf010, [2, 8], [2, 8], [2, 88], [2, 48]));
  const cells = [cell([10, 0, 10, 20], 'b'), cell([0, 0, 20, 10], 'wide'), cell([10, 10, 20, 20], 'c')];
  const slide = page(0x3ee, 0, container(0xf003, head, ...cells));
  const { tables } = await readFile(presentation([list(0, persist(2, 256))], [slide]), 'wrong.doc');
  expect(tables[0]!.data).toMatchObject({ num_rows: 2, num_cols: 2 });
  expect(
    tables[0]!.data.table_cells.map(({ text: own, col_span, column_header }) => [own, col_span, column_header]),
  ).toEqual([
    ['wide', 2, true],
    ['b', 1, false],
    ['c', 1, false],
  ]);
});

test('pictures have the bytes from the store, metafiles have none; comments are in the notes layer', async () => {
  const png = artRecord(0x6e0 << 4, 0xf01e, Buffer.alloc(17), pngHeader(3, 4));
  const metafile = artRecord(0x3d4 << 4, 0xf01a, Buffer.alloc(60));
  const pictures = joinBytes(png, metafile);
  const store = container(0xf001, artStoreEntry(0), artStoreEntry(png.length), artStoreEntry(0xffffff));
  const frame = (top: number, picture: number) =>
    container(
      0xf004,
      atom(0xf00a, [4, 1], [4, 0]),
      artProperties(0xf00b, [0x4104, picture]),
      atom(0xf010, [2, top], [2, 0], [2, 80], [2, top + 80]),
    );
  const written = (instance: number, characters: string) =>
    artRecord(instance << 4, 0xfba, Buffer.from(characters, 'utf16le'));
  const time = [2026, 3, 0, 4, 5, 6, 7, 0].map((part) => [2, part] as const);
  const comment = container(
    0x2ee0,
    ...[written(0, 'Ann Lee'), written(1, 'Why?'), written(2, 'AL')],
    atom(0x2ee1, [4, 1], ...time, Buffer.alloc(8)),
  );
  const tag = container(0x138a, written(0, '___PPT10'), atom(0x138b, comment));
  const slide = container(
    0x3ee,
    atom(0x3ef, Buffer.alloc(24)),
    container(0x40c, container(0xf002, container(0xf003, frame(0, 1), frame(100, 2), frame(200, 3), frame(300, 9)))),
    container(0x1388, tag),
  );
  const lists = [container(0x40b, container(0xf000, store)), list(0, persist(2, 256))];
  const bytes = presentation(lists, [slide], { pictures });
  const { pictures: found, texts, groups } = await readFile(bytes);
  expect(await failuresOfDamaged(bytes, 'a.ppt', 17)).toEqual([]);
  expect(found.map(({ image }) => image?.size)).toEqual([{ width: 3, height: 4 }, undefined, undefined, undefined]);
  expect(found[0]!.prov[0]!.bbox).toMatchObject({ l: 0, t: 540, r: 10, b: 530 });
  expect(groups.at(-1)).toMatchObject({ label: 'comment_section', name: 'comment-slide1-1', content_layer: 'notes' });
  expect(texts[0]!.text).toBe('[author: Ann Lee (AL), time: 2026-03-04T05:06:07.000]: Why?');
});

test('a presentation with a password opens only with it, or with the default one of PowerPoint', async () => {
  const lists = [list(0, persist(2, 256))];
  const slides = [page(0x3ee, 0, shape([0, 0, 8, 8], ...text(0, 'Grüße')))];
  const open = (bytes: Uint8Array, password?: string) =>
    convertBytes({ bytes, name: 'a.ppt', paged: password === undefined ? {} : { password } });
  const secret = encryptedPresentation(lists, slides, 'pässword');
  expect(shown((await open(secret, 'pässword')).document)).toEqual([['title', 'Grüße']]);
  await expect(open(secret, 'other')).rejects.toMatchObject({
    code: 'DOCUMENT_ENCRYPTED',
    message: expect.stringContaining('other than the one given'),
  });
  await expect(open(secret)).rejects.toMatchObject({ message: expect.stringContaining('`--password`') });
  const standing = encryptedPresentation(lists, slides, '/01Hannes Ruescher/01');
  expect(shown((await open(standing)).document)).toEqual([['title', 'Grüße']]);
});

test('damage of encrypted presentations gives a code or a document', async () => {
  const slide = page(0x3ee, 0, shape([0, 0, 8, 8], ...text(0, 'T')));
  const bytes = encryptedPresentation([list(0, persist(2, 256))], [slide], '/01Hannes Ruescher/01');
  expect(await failuresOfDamaged(bytes, 'a.ppt', 5)).toEqual([]);
});

test('protected, damaged, deeply nested and too long presentations give their codes', async () => {
  const slide = page(0x3ee, 0, shape([0, 0, 8, 8], ...text(0, 'T')));
  const good = presentation([list(0, persist(2, 256), persist(3, 257))], [slide, slide]);
  const getCode = (bytes: Uint8Array, limits = {}) =>
    convertBytes({ bytes, name: 'a.ppt', limits }).then(
      () => 'document',
      (error: { code: string }) => error.code,
    );
  expect(await getCode(presentation([], [], { token: 0xf3d1c4df }))).toBe('DOCUMENT_ENCRYPTED');
  expect(await getCode(compoundFile({ 'PowerPoint Document': Buffer.alloc(50) }))).toBe('DOCUMENT_CORRUPT');
  expect(await getCode(good, { maxPages: 1 })).toBe('DOCUMENT_TOO_LARGE');
  const deep = Array.from({ length: 30 }).reduce<Uint8Array>((inner) => container(0xf003, inner), shape([0, 0, 8, 8]));
  expect(await getCode(presentation([list(0, persist(2, 256))], [page(0x3ee, 0, deep)]), { maxDepth: 20 })).toBe(
    'DOCUMENT_TOO_LARGE',
  );
  expect(await failuresOfDamaged(good, 'a.ppt', 7)).toEqual([]);
});

test('headers and footers of printed notes are counted, those of slides are not', async () => {
  const line = (instance: number, characters: string) =>
    artRecord(instance << 4, 0xfba, Buffer.from(characters, 'utf16le'));
  const furniture = (instance: number, ...lines: Uint8Array[]) => artRecord((instance << 4) | 0xf, 0xfd9, ...lines);
  const bytes = presentation(
    [furniture(4, line(1, 'top of notes'), line(2, 'below')), furniture(3, line(1, 'unused'))],
    [],
  );
  const { coverage } = await convertBytes({ bytes, name: 'a.ppt' });
  expect(coverage).toEqual([
    { kind: 'notes header', count: 1, words: 3, in_json: false },
    { kind: 'notes footer', count: 1, words: 1, in_json: false },
  ]);
});

test('text of a master is furniture of its first slide; hints are omitted, and slide numbers shown', async () => {
  const slide = (flags: number, ...shapes: Uint8Array[]) =>
    container(
      0x3ee,
      atom(0x3ef, Buffer.alloc(12), [4, 0x80000001], [4, 0], [2, flags], [2, 0]),
      container(0x40c, container(0xf002, container(0xf003, ...shapes))),
    );
  const hint = container(
    0xf004,
    atom(0xf00a, [4, 1], [4, 0]),
    container(0xf011, atom(0xbc3, Buffer.alloc(8))),
    container(0xf00d, ...text(0, 'Click to edit')),
  );
  const box: Box = [0, 0, 8, 8];
  const master = container(
    0x3f8,
    container(0x40c, container(0xf002, container(0xf003, hint, shape(box, ...text(4, 'ACME 2001'))))),
  );
  const number = shape(box, ...text(4, '*'), atom(0xfd8, Buffer.alloc(4)));
  const lists = [list(1, persist(2, 0x80000001)), list(0, persist(3, 256), persist(4, 257), persist(5, 258))];
  const slides = [slide(0), slide(7, number), slide(7, shape(box, ...text(4, 'last')))];
  const document = await readFile(presentation(lists, [master, ...slides]));
  expect(document.texts.map((text) => [text.label, text.text, text.content_layer, text.prov[0]?.page_no])).toEqual([
    // The file numbers its first slide 0.
    ['page_footer', '1', 'furniture', 2],
    ['page_header', 'ACME 2001', 'furniture', 2],
    ['paragraph', 'last', 'body', 3],
  ]);
});

/** A record of a workbook. */
const biff = (type: number, ...pieces: Piece[]) => {
  const data = joinBytes(...pieces);
  return joinBytes([2, type], [2, data.length], data);
};
/** A Microsoft Graph chart: one series, and the data sheet with its values. */
function graphChart(): Uint8Array {
  const bof = (kind: number) => biff(0x809, [2, 0x600], [2, kind], Buffer.alloc(12));
  const label = (row: number, column: number, words: string) =>
    biff(0x4, [2, row], [2, column], Buffer.alloc(3), [1, words.length], [1, 0], Buffer.from(words, 'latin1'));
  const value = Buffer.alloc(8);
  value.writeDoubleLE(170);
  const chart = [
    bof(0x8000),
    biff(0x1003, Buffer.alloc(12)),
    biff(0x100d, [2, 0], [1, 5], [1, 0], Buffer.from('RUCAM', 'latin1')),
    label(0, 1, 'Probable'),
    label(1, 0, 'RUCAM'),
    biff(0x3, [2, 1], [2, 1], Buffer.alloc(3), value),
    biff(0x1017, Buffer.alloc(6)),
    biff(0xa),
  ];
  // The globals list one sheet, a chart, which comes after them.
  const sheetAt = 36;
  const globals = [bof(5), biff(0x85, [4, sheetAt], [1, 0], [1, 2], [1, 0], [1, 0]), biff(0xa)];
  return compoundFile({ Workbook: joinBytes(...globals, ...chart) });
}

test('Microsoft Graph charts have the data of their sheet, other objects are counted', async () => {
  const object = (id: number, part: number, program: string) =>
    container(
      0xfcc,
      atom(0xfc3, [4, 1], [4, 0], [4, id], [4, 0], [4, part], [4, 0]),
      artRecord(2 << 4, 0xfba, Buffer.from(program, 'utf16le')),
    );
  const shown = (id: number) =>
    container(
      0xf004,
      atom(0xf00a, [4, 1], [4, 0]),
      atom(0xf010, [2, 0], [2, 0], [2, 8], [2, 8]),
      container(0xf011, atom(0xbc1, [4, id])),
    );
  const objects = container(
    0x409,
    object(7, 3, 'MSGraph.Chart.8'),
    object(8, 4, 'MSGraph.Chart.8'),
    object(9, 3, 'Word.Document.8'),
  );
  const whole = graphChart();
  const parts = [
    page(0x3ee, 0, shown(7), shown(8), shown(9)),
    artRecord(1 << 4, 0x1011, [4, whole.length], deflateSync(whole)),
    artRecord(1 << 4, 0x1011, [4, 9], Buffer.from('no stream')),
  ];
  const bytes = presentation([objects, list(0, persist(2, 256))], parts);
  const { document, coverage } = await convertBytes({ bytes, name: 'a.ppt' });
  expect(treeProblems(document)).toEqual([]);
  expect(toMarkdown(document)).toBe(
    '<!-- image -->\n\nBar chart\n\n|          |   RUCAM |\n|----------|---------|\n| Probable |     170 |',
  );
  expect(coverage).toEqual([{ kind: 'embedded object', count: 2, words: 0, in_json: false }]);
});
