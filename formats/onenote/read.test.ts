import { toMarkdown } from '../../document';
import { convertBytes } from '../convert';
import { defaultLimits, type ReadLimits } from '../format';
import { listEmbeddedFiles } from '../members/embedded';
import {
  type TestObject,
  type TestSection,
  type TestSpace,
  type TestValue,
  writePackage,
  writeRevisionStore,
} from './onenote-test-support';
import { kind, property } from './properties';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const style = 0x12004d;
const numbers = '\u0003\ufffd\u0000.';
const bullets = '\u0001•';
const float = (value: number) => Buffer.from(Float32Array.of(value).buffer).readUInt32LE(0);
const starts = (...at: number[]) => Buffer.from(Uint32Array.from(at).buffer);

type Properties = Record<number, TestValue>;
const of = (what: number, properties: Properties = {}): TestObject => ({ kind: what, properties });
const holding = (what: number, children: string[], properties: Properties = {}): TestObject =>
  of(what, { ...properties, [property.children]: { objects: children } });
const text = (value: string, properties: Properties = {}): TestObject =>
  of(kind.text, { [property.text]: value, ...properties });
/** An outline element around an object, with the elements below it. */
function element(content: string, { list, children }: { list?: string; children?: string[] } = {}): TestObject {
  const properties: Properties = { [property.content]: { objects: [content] } };
  if (list) properties[property.list] = { objects: [list] };
  if (children) properties[property.children] = { objects: children };
  return of(kind.element, properties);
}

/** A page whose outline has these elements. */
function page(name: string, elements: string[], objects: Record<string, TestObject>): TestSpace {
  return {
    roots: { 1: `${name}-manifest`, 2: `${name}-meta` },
    objects: {
      [`${name}-manifest`]: of(0x60037, { [property.content]: { objects: [`${name}-page`] } }),
      [`${name}-page`]: holding(0x6000b, [`${name}-outline`]),
      [`${name}-outline`]: holding(kind.outline, elements),
      [`${name}-meta`]: of(0x20030, { [property.cachedTitle]: `Page ${name}`, [property.pageLevel]: 1 }),
      ...objects,
    },
  };
}

function section(pages: Record<string, TestSpace>): TestSection {
  return {
    section: {
      roots: { 1: 'node' },
      objects: {
        node: holding(0x60007, ['series']),
        series: of(0x60008, { [property.pages]: { spaces: Object.keys(pages) } }),
      },
    },
    ...pages,
  };
}

const forms = [
  ['the form on disks', (of: TestSection) => writeRevisionStore(of)],
  ['the form of downloads', writePackage],
] as const;
const convert = (bytes: Buffer, limits: Partial<ReadLimits> = {}) => convertBytes({ bytes, name: 'notes.one', limits });
const markdownOf = async (pages: Record<string, TestSpace>) =>
  toMarkdown((await convert(writeRevisionStore(section(pages)))).document);

describe.each(forms)('%s', (_, write) => {
  const titled: TestSpace = {
    ...page('a', ['e1', 'e2'], {
      e1: element('t1'),
      t1: text('below'),
      e2: element('t2'),
      t2: of(kind.text, { [property.narrowText]: Buffer.from('caf\xe9', 'latin1') }),
      'a-page': of(0x6000b, {
        [property.children]: { objects: ['low', 'high', 'picture'] },
        [property.structure]: { objects: ['title'] },
      }),
      low: holding(kind.outline, ['e1', 'e2'], { [property.top]: float(5) }),
      high: holding(kind.outline, ['e3'], { [property.top]: float(1.5) }),
      e3: element('t3'),
      t3: text('above'),
      picture: of(kind.picture, {
        [property.top]: float(7),
        [property.picture]: { objects: ['png'] },
        [property.text]: 'words in the picture',
      }),
      title: holding(kind.title, ['titles']),
      titles: holding(kind.outline, ['e4', 'e5', 'e6']),
      e4: element('t4'),
      t4: text('Plans'),
      e5: element('t5'),
      t5: text('Friday, 5 July 2019', { [property.isDate]: true }),
      e6: element('t6'),
      t6: text('6:39', { [property.isTime]: true }),
      attached: of(kind.file, { [property.fileName]: 'Costs.csv', [property.file]: { objects: ['csv'] } }),
      'a-outline': holding(kind.outline, []),
    }),
    files: { png, csv: Buffer.from('a,b\n1,2\n') },
  };
  titled.objects['low'] = holding(kind.outline, ['e1', 'e2', 'e7'], { [property.top]: float(5) });
  titled.objects['e7'] = element('attached');

  test('title, date, outlines from top to bottom, attached files and pictures are read', async () => {
    const { document, coverage } = await convert(write(section({ a: titled })));
    expect(toMarkdown(document)).toBe(
      '## Plans\n\nFriday, 5 July 2019 6:39\n\nabove\n\nbelow\n\ncafé\n\nCosts.csv\n\n<!-- image -->',
    );
    expect(document.pictures[0]?.image?.uri).toBe(`data:image/png;base64,${png.toString('base64')}`);
    expect(coverage).toEqual([
      { kind: 'attachment', count: 1, words: 0, in_json: false },
      { kind: 'recognized picture text', count: 1, words: 4, in_json: false },
    ]);
  });

  test('attached files are members', async () => {
    const files = await listEmbeddedFiles('onenote', write(section({ a: titled })), {
      name: 'notes.one',
      limits: defaultLimits,
    });
    expect(files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
      ['Costs.csv', 'a,b\n1,2\n'],
    ]);
  });

  test('a file that is cut anywhere is refused as damaged', async () => {
    const whole = write(section({ a: titled }));
    for (let length = 17; length < whole.length; length += 13) {
      const code = await convert(whole.subarray(0, length)).then(
        () => 'read',
        ({ code: of }) => of,
      );
      expect({ length, code }).toEqual({ length, code: 'DOCUMENT_CORRUPT' });
    }
  });

  test('every changed byte gives a document or an error with a code', async () => {
    const whole = write(section({ a: titled }));
    for (let at = 64; at < whole.length; at += 7) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 0xff;
      const code = await convert(changed).then(
        () => 'read',
        ({ code: of }) => of,
      );
      expect({ at, code }).toEqual({
        at,
        code: expect.stringMatching(/^(?:read|DOCUMENT_CORRUPT|DOCUMENT_TOO_LARGE)$/),
      });
    }
  });

  test('a page that the file does not contain is named, and so is an untitled page', async () => {
    const pages = { a: page('a', ['e'], { e: element('t'), t: text('here') }) };
    const both = section(pages);
    both['section']!.objects['series'] = of(0x60008, { [property.pages]: { spaces: ['a', 'gone'] } });
    const { document, warnings } = await convert(write(both));
    expect(toMarkdown(document)).toBe('## Page a\n\nhere');
    expect(warnings).toContain('The file does not contain 1 of the 2 pages of the section.');
  });

  test('an element that contains itself is added once', async () => {
    const pages = { a: page('a', ['e'], { e: element('t', { children: ['e', 'a-outline'] }), t: text('once') }) };
    expect(toMarkdown((await convert(write(section(pages)))).document)).toBe('## Page a\n\nonce');
  });

  test('limits of pages and depth are kept', async () => {
    const empty = { a: page('a', [], {}), b: page('b', [], {}) };
    await expect(convert(write(section(empty)), { maxPages: 1 })).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE' });
    const deep: Record<string, TestObject> = { t: text('deep') };
    for (let level = 0; level < 40; level++) deep[`e${level}`] = element('t', { children: [`e${level + 1}`] });
    await expect(convert(write(section({ a: page('a', ['e0'], deep) })), { maxDepth: 20 })).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_LARGE',
    });
  });
});

test('numbers go on after paragraphs and start again where the section says so', async () => {
  const markdown = await markdownOf({
    a: page('a', ['e1', 'e2', 'e3', 'e4'], {
      list: of(0x60012, { [property.numberFormat]: numbers }),
      again: of(0x60012, { [property.numberFormat]: numbers, [property.restart]: 7 }),
      dots: of(0x60012, { [property.numberFormat]: bullets }),
      e1: element('t1', { list: 'list', children: ['e5'] }),
      t1: text('first'),
      e5: element('t5', { list: 'dots' }),
      t5: text('inner'),
      e2: element('t2'),
      t2: text('between'),
      e3: element('t3', { list: 'list' }),
      t3: text('second'),
      e4: element('t4', { list: 'again' }),
      t4: text('seventh'),
    }),
  });
  expect(markdown).toBe('## Page a\n\n1. first\n    - inner\n\nbetween\n\n2. second\n7. seventh');
});

test.each([
  ['\u0003\ufffd\u0001)', 'IV)'],
  ['\u0003\ufffd\u0002.', 'iv.'],
  ['\u0003\ufffd\u0003.', 'D.'],
  ['\u0004(\ufffd\u0004)', '(d)'],
])('the number format %j writes %s', async (format, marker) => {
  const { document } = await convert(
    writeRevisionStore(
      section({
        a: page('a', ['e'], {
          e: element('t', { list: 'list' }),
          t: text('item'),
          list: of(0x60012, { [property.numberFormat]: format, [property.restart]: 4 }),
        }),
      }),
    ),
  );
  expect(document.texts.find(({ label }) => label === 'list_item')).toMatchObject({ marker, enumerated: true });
});

test('runs have their marks, links show their text, and styles are headings and code', async () => {
  const field = '\ufddfHYPERLINK "https://example.org/a"';
  const markdown = await markdownOf({
    a: page('a', ['e1', 'e2', 'e3', 'e4'], {
      plain: of(style, { [property.styleName]: 'p' }),
      bold: of(style, { [property.bold]: true }),
      link: of(style, { [property.isLink]: true, [property.underline]: true }),
      h2: of(style, { [property.styleName]: 'h2', [property.bold]: true }),
      code: of(style, { [property.styleName]: 'code' }),
      e1: element('t1'),
      t1: text('plain bold', {
        [property.runStarts]: starts(6),
        [property.runStyles]: { objects: ['plain', 'bold'] },
        [property.style]: { objects: ['plain'] },
      }),
      e2: element('t2'),
      t2: text(`see ${field}the page, now`, {
        [property.runStarts]: starts(4, 4 + field.length, 12 + field.length),
        [property.runStyles]: { objects: ['plain', 'link', 'link', 'plain'] },
      }),
      e3: element('t3'),
      t3: text('Part', { [property.style]: { objects: ['h2'] } }),
      e4: element('t4'),
      t4: text('x = 1', { [property.style]: { objects: ['code'] } }),
    }),
  });
  expect(markdown).toBe(
    '## Page a\n\nplain **bold**\n\nsee [the page](https://example.org/a) , now\n\n#### Part\n\n```\nx = 1\n```',
  );
});

test('links with scripts are plain text', async () => {
  const field = '\ufddfHYPERLINK "javascript:alert(1)"';
  const markdown = await markdownOf({ a: page('a', ['e'], { e: element('t'), t: text(`${field}click`) }) });
  expect(markdown).toBe('## Page a\n\nclick');
});

test('tables have rich cells, and a row without borders is a layout', async () => {
  const cells = {
    row1: holding(kind.row, ['c1', 'c2']),
    row2: holding(kind.row, ['c3', 'c4']),
    c1: holding(kind.cell, ['e1']),
    c2: holding(kind.cell, ['e2']),
    c3: holding(kind.cell, ['e3', 'e4']),
    c4: holding(kind.cell, ['e5']),
    e1: element('t1'),
    t1: text('Name'),
    e2: element('t2'),
    t2: text('Note'),
    e3: element('t3'),
    t3: text('one'),
    e4: element('t4'),
    t4: text('two'),
    e5: element('picture'),
    picture: of(kind.picture, { [property.picture]: { objects: ['none'] } }),
  };
  const table = { ...cells, e0: element('table'), table: holding(kind.table, ['row1', 'row2']) };
  const { document } = await convert(writeRevisionStore(section({ a: page('a', ['e0'], table) })));
  const data = document.tables[0]!.data;
  expect([data.num_rows, data.num_cols]).toEqual([2, 2]);
  expect(data.table_cells.map((cell) => cell.text)).toEqual(['Name', 'Note', 'one\ntwo', '']);
  expect(data.table_cells[3]?.ref).toBeDefined();
  const layout = {
    ...cells,
    e0: element('table'),
    table: holding(kind.table, ['row1'], { [property.hasBorders]: false }),
  };
  expect(await markdownOf({ a: page('a', ['e0'], layout) })).toBe('## Page a\n\nName\n\nNote');
});

test('a section with a password is refused, and so is the list of sections of a notebook', async () => {
  const bytes = writeRevisionStore(section({ a: page('a', [], {}) }), { isEncrypted: true });
  await expect(convert(bytes)).rejects.toMatchObject({ code: 'DOCUMENT_ENCRYPTED' });
  const contents = Buffer.concat([Buffer.from('a12ff43fd9ef764c9ee210ea5722765f', 'hex'), Buffer.alloc(2000)]);
  await expect(convert(contents)).rejects.toMatchObject({ code: 'FORMAT_UNSUPPORTED' });
});

test('lists of nodes and versions that lead back to themselves are damage', async () => {
  const bytes = writeRevisionStore(section({ a: page('a', [], {}) }));
  // The revision that the only revision changes is itself.
  const revision = Buffer.concat([Buffer.alloc(16, 0xcc), Buffer.from([1, 0, 0, 0])]);
  for (let at = bytes.indexOf(revision); at >= 0; at = bytes.indexOf(revision, at + 40)) revision.copy(bytes, at + 20);
  await expect(convert(bytes)).rejects.toMatchObject({
    code: 'DOCUMENT_CORRUPT',
    message: expect.stringContaining('versions'),
  });
});
