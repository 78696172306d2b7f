import type { DoclingDocument } from '../../document/model';
import { checkTree } from '../../document/validate';
import { toMarkdown } from '../../document/write/markdown';
import { convertBytes } from '../convert';

async function read(text: string): Promise<DoclingDocument> {
  const { document, format } = await convertBytes({ bytes: new TextEncoder().encode(text), name: 'guide.adoc' });
  expect(format).toBe('asciidoc');
  checkTree(document);
  return document;
}
const markdown = async (text: string) => toMarkdown(await read(text), { compactTables: true });

describe('the AsciiDoc reader', () => {
  test('headings nest below the title, paragraphs join their lines', async () => {
    const document = await read('= Guide\n\nOne\ntwo.\n\n== Part\n\n=== Inner\n\nText\n\n== Next\n');
    expect(document.texts.map(({ label, level, text, parent }) => [label, level, text, parent?.$ref])).toEqual([
      ['title', undefined, 'Guide', '#/body'],
      ['paragraph', undefined, 'One two.', '#/texts/0'],
      ['section_header', 1, 'Part', '#/texts/0'],
      ['section_header', 2, 'Inner', '#/texts/2'],
      ['paragraph', undefined, 'Text', '#/texts/3'],
      ['section_header', 1, 'Next', '#/texts/0'],
    ]);
  });
  test('lists nest by their markers; list items keep their attached blocks', async () => {
    expect(await markdown('* a\n** b\n* c\n\n. one\n+\nmore\n\n. two\n')).toBe(
      '- a\n    - b\n- c\n\n1. one\nmore\n2. two',
    );
  });
  test('bullets also nest by indentation, within the list above; an empty line ends them', async () => {
    const document = await read('* a\n  * b\n* c\n\n* d\n');
    expect(document.groups.map(({ parent }) => parent?.$ref)).toEqual(['#/body', '#/groups/0', '#/body']);
    expect(document.texts.map(({ text, parent }) => [text, parent?.$ref])).toEqual([
      ['a', '#/groups/0'],
      ['b', '#/groups/1'],
      ['c', '#/groups/0'],
      ['d', '#/groups/2'],
    ]);
  });
  test('a heading is below the heading one level above it, else below the body', async () => {
    const document = await read('= T\n\n=== Deep\n\n== A\n\n=== B\n');
    expect(document.texts.map(({ parent }) => parent?.$ref)).toEqual(['#/body', '#/body', '#/texts/0', '#/texts/2']);
  });
  test('the lines after a block title are the caption of the next picture or table of the section', async () => {
    const document = await read(
      '= T\n\n.Steps\n\n. Open it.\n+\nimage::a.png[A, B]\n\n.Sizes\n[cols="1,1"]\n|===\n|a |b\n|===\n\nEnd.\n',
    );
    const captions = document.texts.filter(({ label }) => label === 'caption');
    expect(captions.map(({ text, parent }) => [text, parent?.$ref])).toEqual([
      ['Steps . Open it. +', '#/body'],
      ['Sizes [cols="1,1"]', '#/body'],
    ]);
    expect(document.pictures[0]).toMatchObject({ parent: { $ref: '#/body' }, captions: [{ $ref: '#/texts/1' }] });
    expect(document.tables[0]).toMatchObject({ parent: { $ref: '#/texts/0' }, captions: [{ $ref: '#/texts/2' }] });
  });
  test.each(['== Next\n\nimage::a.png[A]', '----\ncode\n----\n\nimage::a.png[A]', 'words'])(
    'a block title is text if no picture comes before %j',
    async (following) => {
      const { texts } = await read(`.Steps\n\n. Open it.\n\n${following}\n`);
      expect(texts.slice(0, 2).map(({ label, text }) => [label, text])).toEqual([
        ['paragraph', 'Steps'],
        ['list_item', 'Open it.'],
      ]);
    },
  );
  test('checklists are checkboxes, described terms are list items', async () => {
    expect(await markdown('* [x] done\n* [ ] open\n')).toBe('- [x] done\n- [ ] open');
    expect(await markdown('CPU:: the brain\n')).toBe('- CPU: the brain');
  });
  test('a table has its title as caption, spans and headers', async () => {
    const document = await read('.Sizes\n|===\n|A |B\n\n2+|wide\n.2+|tall |x\n|y\n|===\n');
    const { data, captions } = document.tables[0]!;
    expect(captions).toHaveLength(1);
    expect(data.table_cells.map(({ text, row_span, col_span }) => [text, row_span, col_span])).toEqual([
      ['A', 1, 1],
      ['B', 1, 1],
      ['wide', 1, 2],
      ['tall', 2, 1],
      ['x', 1, 1],
      ['y', 1, 1],
    ]);
    expect([data.num_rows, data.num_cols]).toEqual([4, 2]);
    expect(data.table_cells[0]!.column_header).toBe(true);
  });
  test('tables of comma- or colon-separated values have one cell per value', async () => {
    expect(await markdown('[format=csv]\n|===\na,"b, c"\n1,"say ""x"""\n|===\n')).toContain(
      '| a | b, c |\n| - | - |\n| 1 | say "x" |',
    );
    expect(await markdown(',===\na,b\n,===\n')).toContain('| a | b |');
    expect(await markdown(':===\na:b\n:===\n')).toContain('| a | b |');
  });
  test('a one-letter cell is not a style; cells on separate lines are counted by cols', async () => {
    expect(await markdown('|===\n^h| Code ^h| Name\n| s | Strong\n|===\n')).toBe(
      '| Code | Name |\n| - | - |\n| s | Strong |',
    );
    expect(await markdown('[cols="2*"]\n|===\n|a\n|b\n|c\n|d\n|===\n')).toContain('| a | b |\n| - | - |\n| c | d |');
  });
  test('listings are code with their language; comments are omitted', async () => {
    const document = await read('[source,python]\n----\nx = 1\n\ny = 2\n----\n// no\n////\nno\n////\nAfter\n');
    expect(document.texts.map(({ label, text, code_language }) => [label, text, code_language])).toEqual([
      ['code', 'x = 1\n\ny = 2', 'Python'],
      ['paragraph', 'After', undefined],
    ]);
  });
  test('an image is a picture with the block title as caption; a title without a block stays a paragraph', async () => {
    expect(await markdown('.Map\nimage::map.png[A map]\n\n.Steps\nFirst.\n')).toBe(
      'Map\n\n<!-- image -->\n\nSteps\n\nFirst.',
    );
  });

  test('a table line continues the cell above if the text before its first bar is not a specifier', async () => {
    const { document } = await convertBytes({
      bytes: new TextEncoder().encode('|===\n|a |b\nwords|d\n|===\n'),
      name: 'a.adoc',
    });
    expect(document.tables[0]?.data.table_cells.map(({ text }) => text)).toEqual(['a', 'b words', 'd']);
  });

  test('a block after an empty line ends a list, one after + belongs to the item', async () => {
    expect(await markdown('* one\n+\n----\nwithin\n----\n* two\n\n.Title\n[source,c]\n----\nbeyond\n----\n')).toBe(
      '- one\n```\nwithin\n```\n- two\n\nTitle\n\n```\nbeyond\n```',
    );
  });
});
