import MarkdownIt from 'markdown-it';
import { createDocument } from '../builder';
import { tableCell } from '../grid';
import { toMarkdown } from './markdown';

/** Renders as CommonMark does, or with the tables and strikethrough of GitHub. */
const rendered = (markdown: string, dialect: 'github' | 'commonmark') =>
  (dialect === 'github'
    ? new MarkdownIt('default', { html: true, linkify: false })
    : new MarkdownIt('commonmark')
  ).render(markdown);
const shownText = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .trim();

const hostile = [
  '# no heading',
  '#hash',
  '- no item',
  '+ no item',
  '1986. was a year',
  '7) seven',
  '---',
  '===',
  '> no quote',
  '    no code',
  '*stars* _lines_ `ticks` ~~waves~~ ~one~',
  '[no](link) ![no](image) [ref]: x',
  '<b>no tag</b> &amp; &copy; <!-- no comment -->',
  'a\\b \\* $x_1$ $$y$$ | bar |',
  '```no fence',
  '~~~no fence',
  'C#',
];

test.each(['github', 'commonmark'] as const)('%s shows every character of a text unchanged', (dialect) => {
  for (const text of hostile) {
    const builder = createDocument('a');
    builder.text('text', text);
    const html = rendered(toMarkdown(builder.document, { dialect }), dialect);
    expect(html).toMatch(/^<p>[^]*<\/p>\n$/);
    expect(shownText(html)).toBe(text.trim());
  }
});

test.each(['github', 'commonmark'] as const)('%s: headings, items and cells show their characters too', (dialect) => {
  for (const text of hostile) {
    const builder = createDocument('a');
    builder.heading(9, text);
    const list = builder.group('list');
    builder.listItem(text, { parent: list });
    builder.table({
      table_cells: [tableCell(0, 0, 'h', { column_header: true }), tableCell(1, 0, text)],
      num_rows: 2,
      num_cols: 1,
    });
    const html = rendered(toMarkdown(builder.document, { dialect }), dialect);
    const tags = ['h6', 'li', 'td'].map((tag) => new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(html)?.[1] ?? 'none');
    expect(tags.map(shownText)).toEqual([text.trim(), text.trim(), text.trim()]);
  }
});

test('styles enclose words, styles that Markdown lacks become HTML, and addresses may contain spaces', () => {
  const builder = createDocument('a');
  const parent = builder.group('inline');
  const look = { bold: false, italic: false, underline: false, strikethrough: false, script: 'baseline' as const };
  builder.text('text', 'bold ', { parent, formatting: { ...look, bold: true } });
  builder.text('text', '2', { parent, formatting: { ...look, script: 'super' } });
  builder.text('text', 'gone', { parent, formatting: { ...look, strikethrough: true } });
  builder.text('text', 'there', { parent, hyperlink: 'https://a.example/x (1).html' });
  const of = (dialect: 'github' | 'commonmark') => toMarkdown(builder.document, { dialect });
  expect(of('github')).toBe('**bold**  <sup>2</sup> ~~gone~~ [there](<https://a.example/x (1).html>)');
  expect(rendered(of('commonmark'), 'commonmark')).toBe(
    '<p><strong>bold</strong>  <sup>2</sup> <del>gone</del> <a href="https://a.example/x%20(1).html">there</a></p>\n',
  );
});

test('tables with spans are HTML in both, plain tables only without pipe tables; blank lines end neither', () => {
  const builder = createDocument('a');
  const wide = tableCell(0, 0, 'both\n\nlines', { col_span: 2, column_header: true });
  builder.table({ table_cells: [wide, tableCell(1, 0, 'a|b'), tableCell(1, 1, '<c>')], num_rows: 2, num_cols: 2 });
  builder.table({ table_cells: [tableCell(0, 0, 'x'), tableCell(1, 0, 'a|b')], num_rows: 2, num_cols: 1 });
  const spans =
    '<table><tbody><tr><th colspan="2">both\nlines</th></tr><tr><td>a|b</td><td>&lt;c&gt;</td></tr></tbody></table>';
  expect(toMarkdown(builder.document, { dialect: 'github' })).toBe(`${spans}\n\n| x    |\n|------|\n| a\\|b |`);
  expect(toMarkdown(builder.document, { dialect: 'commonmark' })).toBe(
    `${spans}\n\n<table><tbody><tr><td>x</td></tr><tr><td>a|b</td></tr></tbody></table>`,
  );
});

test('code has its language and a fence that it does not contain; formulas become code in dialects without formulas', () => {
  const builder = createDocument('a');
  Object.assign(builder.code('x = "```"'), { code_language: 'Python' });
  builder.text('formula', 'a_1');
  expect(toMarkdown(builder.document, { dialect: 'github' })).toBe('````python\nx = "```"\n````\n\n$$\na_1\n$$');
  expect(toMarkdown(builder.document, { dialect: 'commonmark' })).toContain('```latex\na_1\n```');
});

test('a list that skips a level is indented by one, because Markdown would read more as text', () => {
  const builder = createDocument('a');
  const list = builder.group('list');
  const item = builder.listItem('one', { parent: list });
  const inner = builder.group('list', { parent: builder.group('list', { parent: item }) });
  builder.listItem('two', { parent: inner });
  expect(toMarkdown(builder.document, { dialect: 'github' })).toBe('- one\n    - two');
  expect(toMarkdown(builder.document)).toBe('- one\n        - two');
});
