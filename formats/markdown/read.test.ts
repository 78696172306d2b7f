import type { DoclingDocument } from '../../document/model';
import { treeProblems } from '../../document/validate';
import { toMarkdown } from '../../document/write/markdown';
import { defaultLimits } from '../format';
import { read } from './read';

async function readText(text: string): Promise<DoclingDocument> {
  const document = await read(Buffer.from(text), { name: 'notes.md', limits: defaultLimits });
  expect(treeProblems(document)).toEqual([]);
  return document;
}
const rewritten = async (text: string) => toMarkdown(await readText(text), { compactTables: true });

describe('the Markdown reader', () => {
  test('headings are flat: level 1 is the title', async () => {
    const document = await readText('# One\n\n## Two\n\nSetext\n---\n');
    expect(document.texts.map(({ label, level, text, parent }) => [label, level, text, parent?.$ref])).toEqual([
      ['title', undefined, 'One', '#/body'],
      ['section_header', 1, 'Two', '#/body'],
      ['section_header', 1, 'Setext', '#/body'],
    ]);
  });

  test('runs of a paragraph form an inline group, a single run is the item itself', async () => {
    const document = await readText('**all bold**\n\nA *b* [c](https://example.org/x) `d` ~~e~~ f\\*g &amp; h');
    expect(document.texts[0]).toMatchObject({
      text: 'all bold',
      formatting: { bold: true },
      parent: { $ref: '#/body' },
    });
    expect(document.texts.slice(1).map(({ label, text }) => [label, text])).toEqual([
      ['text', 'A'],
      ['text', 'b'],
      ['text', 'c'],
      ['code', 'd'],
      ['text', 'e'],
      ['text', 'f*g & h'],
    ]);
    expect(document.texts[3]!.hyperlink).toBe('https://example.org/x');
    expect(document.texts[5]!.formatting?.strikethrough).toBe(true);
  });

  test('a heading with several styles is an empty text with an inline group', async () => {
    const document = await readText('## *Partly* styled');
    expect(document.texts[0]).toMatchObject({ label: 'section_header', text: '', children: [{ $ref: '#/groups/0' }] });
    expect(toMarkdown(document)).toBe('## *Partly* styled');
  });

  test.each([
    ['nested lists', '- a\n    - b\n        1. c\n- d'],
    ['numbered lists', '1. a\n2. b'],
    ['a list that does not begin at one', '5. a\n6. b'],
    ['task lists', '- [ ] open\n- [x] done'],
    ['tables', '| A | B |\n| - | - |\n| 1 | x &#124; y |'],
    ['code', '```\nlet a = 1;\n```'],
    ['formulas in dollar signs', 'Euler $e^x$ here'],
  ])('%s survive a round trip', async (_name, text) => {
    expect(await rewritten(text)).toBe(text);
  });

  test('a further paragraph and code of a list item are its children', async () => {
    const document = await readText('- first\n\n  second\n\n  ```js\n  code\n  ```\n- next');
    const [list] = document.groups;
    expect(list!.children).toHaveLength(2);
    expect(document.texts[0]!.children).toEqual([{ $ref: '#/texts/1' }, { $ref: '#/texts/2' }]);
    expect(document.texts[2]).toMatchObject({ label: 'code', code_language: 'JavaScript' });
  });

  test('empty items, empty headings and empty code are dropped, except numbered items', async () => {
    expect(await rewritten('- # head\n- ```\n  x\n  ```\n-\n- b\n\n##\n\n```\n```\n')).toBe('# head\n```\nx\n```\n- b');
    expect(await rewritten('3. > quote\n4. b\n')).toBe('3. \nquote\n4. b');
  });

  test('an image is a picture with its alternative text, and its title is the caption', async () => {
    const document = await readText('![alt text](a.png "The title")');
    expect(document.pictures).toHaveLength(1);
    expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
      ['caption', 'The title'],
      ['text', 'alt text'],
    ]);
    expect(document.body.children.map(({ $ref }) => $ref)).toEqual(['#/texts/0', '#/pictures/0', '#/texts/1']);
  });

  test('front matter is furniture; its title is used if there is no heading', async () => {
    const without = await readText('---\ntitle: "The plan"\ntags: [a]\n---\nText');
    expect(toMarkdown(without)).toBe('# The plan\n\nText');
    const withTitle = await readText('---\ntitle: The plan\n---\n# Heading\n');
    expect(toMarkdown(withTitle)).toBe('# Heading');
    expect(withTitle.texts[0]).toMatchObject({ content_layer: 'furniture', text: 'title: The plan' });
    expect(await rewritten('---\n\nA rule, then text: no metadata\n\n---\n')).toBe('A rule, then text: no metadata');
  });

  test('a document with HTML blocks is read as the HTML it represents', async () => {
    const document = await readText(
      '# T\n\n<table><tr><td>a</td><td>b</td></tr></table>\n\n**x** y\n\n<details><summary>S</summary>\n\nmore\n\n</details>\n',
    );
    expect(document.tables).toHaveLength(1);
    expect(document.groups.map(({ name }) => name)).toContain('details');
    expect(toMarkdown(document, { compactTables: true })).toBe('# T\n\n| a | b |\n| - | - |\n\n**x** y\n\nS\n\nmore');
  });

  test('every line of a paragraph and every bare URL is a separate run', async () => {
    const document = await readText('one\ntwo  \nthree <https://example.org>, end');
    expect(document.texts.map(({ text, hyperlink }) => [text, hyperlink])).toEqual(
      ['one', 'two', 'three', 'https://example.org', ', end'].map((text) => [text, null]),
    );
    expect(document.groups.map(({ label }) => label)).toEqual(['inline']);
    expect(toMarkdown(document)).toBe('one two three https://example.org , end');
  });

  test.each([
    ['images are their alternative text', 'See ![the map](map.png) here', 'See the map here'],
    ['lines are joined', 'one  \ntwo<br>three', 'one two three'],
    ['bare addresses have no link', 'at <https://example.org>', 'at https://example.org'],
    [
      'raw tags within a line are removed, except links',
      'A <b>b</b> <a href="https://a.example/">c</a>',
      'A b [c](https://a.example/)',
    ],
    [
      'cells have no styles',
      '| A | B |\n| - | - |\n| **x** | [y](https://a.example) |',
      '| A | B |\n| - | - |\n| x | y |',
    ],
    ['code has the characters that entities stand for', 'x `a &lt; b` <i>', 'x `a < b`'],
    ['code keeps its tags', '```\n<b> & c\n```', '```\n<b> & c\n```'],
  ])('in a document with HTML blocks %s', async (_name, text, expected) => {
    expect(await rewritten(`<div>Raw</div>\n\n${text}\n`)).toBe(`Raw\n\n${expected}`);
  });

  test('a comment makes it HTML too: content after a heading becomes its child', async () => {
    const document = await readText('# T\n\none\ntwo\n\n<!-- note -->\n');
    expect(document.texts.map(({ text, parent }) => [text, parent?.$ref])).toEqual([
      ['T', '#/body'],
      ['one two', '#/texts/0'],
    ]);
  });

  test('comments and inline tags are removed', async () => {
    expect(await rewritten('<!-- note -->\n\nA <span class="x">word</span> here')).toBe('A word here');
  });

  test.each([
    ['quotes', '>'.repeat(100_000)],
    ['lists', '- '.repeat(50_000)],
  ])('deeply nested %s give DOCUMENT_TOO_LARGE', async (_name, text) => {
    await expect(readText(`${text}x`)).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE' });
  });

  test('large numbers of nested emphasis and brackets are read in time', async () => {
    expect(await rewritten('*a **b '.repeat(3000))).toContain('b');
    expect(await rewritten('[a]('.repeat(3000))).toContain('a');
  });

  test('a binary file is rejected', async () => {
    expect(() =>
      read(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 0, 1]), { name: 'x.md', limits: defaultLimits }),
    ).toThrow("'x.md' is not text");
  });

  test('a signature and a stamp are pictures of their class with their text', async () => {
    const document = await readText('Before\n\n<signature>\nAnn Doe\n</signature>\n\n<stamp>\nPaid\n</stamp>\n');
    expect(document.pictures.map(({ meta }) => meta)).toEqual(
      ['signature', 'stamp'].map((class_name) => ({ classification: { predictions: [{ class_name }] } })),
    );
    expect(document.texts.map(({ text, parent }) => [text, parent?.$ref])).toEqual([
      ['Before', '#/body'],
      ['Ann Doe', '#/pictures/0'],
      ['Paid', '#/pictures/1'],
    ]);
  });

  test('very deeply nested brackets and marks are kept as written', async () => {
    const nested = `${'['.repeat(200)}x${']'.repeat(200)}`;
    expect(await rewritten(nested)).toBe(nested);
    expect(await rewritten('**a *b ~~c [d](f)~~* g**')).toContain('[~~***d***~~](f)');
  });
});
