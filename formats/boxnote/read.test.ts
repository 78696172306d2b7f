import { checkTree } from '../../document/validate';
import { toMarkdown } from '../../document/write/markdown';
import { convertBytes } from '../convert';

const convert = (text: string) => convertBytes({ bytes: new TextEncoder().encode(text), name: 'plan.boxnote' });

async function read(...content: object[]) {
  const { document, format } = await convert(JSON.stringify({ version: 1, doc: { type: 'doc', content } }));
  expect(format).toBe('boxnote');
  checkTree(document);
  return document;
}
const text = (value: string, ...marks: object[]) => ({ type: 'text', text: value, marks });
const paragraph = (...content: object[]) => ({ type: 'paragraph', content });

describe('the Box Note reader', () => {
  test('headings, styled text, quotes and code', async () => {
    const document = await read(
      { type: 'heading', attrs: { level: 1 }, content: [text('Plan')] },
      { type: 'heading', attrs: { level: 2 }, content: [text('Now')] },
      paragraph(text('Go '), text('here', { type: 'link', attrs: { href: 'https://example.org/' } })),
      { type: 'blockquote', content: [paragraph(text('Old', { type: 'strikethrough' }))] },
      { type: 'code_block', content: [text('x = 1')] },
    );
    expect(toMarkdown(document)).toBe(
      '# Plan\n\n## Now\n\nGo  [here](https://example.org/)\n\n~~Old~~\n\n```\nx = 1\n```',
    );
  });
  test('lists nest and keep checkboxes', async () => {
    const item = (value: string, ...more: object[]) => ({
      type: 'list_item',
      content: [paragraph(text(value)), ...more],
    });
    const document = await read(
      { type: 'ordered_list', content: [item('a', { type: 'bullet_list', content: [item('b')] }), item('c')] },
      {
        type: 'check_list',
        content: [{ type: 'check_list_item', attrs: { checked: true }, content: [paragraph(text('d'))] }],
      },
    );
    expect(toMarkdown(document)).toBe('1. a\n    - b\n2. c\n\n- [x] d');
  });
  test('tables have headers and spans; cells with styles keep them', async () => {
    const document = await read({
      type: 'table',
      content: [
        {
          type: 'table_row',
          content: [{ type: 'table_header', attrs: { colspan: 2 }, content: [paragraph(text('H'))] }],
        },
        {
          type: 'table_row',
          content: [
            { type: 'table_cell', content: [paragraph(text('a', { type: 'em' }))] },
            { type: 'table_cell', content: [paragraph(text('b'))] },
          ],
        },
      ],
    });
    const { data } = document.tables[0]!;
    expect([data.num_rows, data.num_cols]).toEqual([2, 2]);
    expect(data.table_cells[0]).toMatchObject({ col_span: 2, column_header: true });
    expect(data.table_cells[1]!.ref).toEqual({ $ref: document.groups[0]!.self_ref });
  });
  test('a file that is not a note of the editor is DOCUMENT_CORRUPT; nesting is limited', async () => {
    await expect(convert('{"atext":{}}')).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
    await expect(convert('no JSON')).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
    let quote: object = paragraph(text('deep'));
    for (let depth = 0; depth < 600; depth++) quote = { type: 'blockquote', content: [quote] };
    await expect(read(quote)).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE' });
  });
});

test('list items keep their styles and links', async () => {
  const link = { type: 'link', attrs: { href: 'https://a.example' } };
  const item = (...content: object[]) => ({ type: 'list_item', content: [{ type: 'paragraph', content }] });
  const note = {
    doc: {
      type: 'doc',
      content: [
        {
          type: 'bullet_list',
          content: [
            item({ type: 'text', text: 'all', marks: [link] }),
            item({ type: 'text', text: 'see ' }, { type: 'text', text: 'this', marks: [link] }),
            item({ type: 'text', text: 'bold', marks: [{ type: 'strong' }] }),
          ],
        },
      ],
    },
  };
  const { document } = await convertBytes({
    bytes: new TextEncoder().encode(JSON.stringify(note)),
    name: 'a.boxnote',
  });
  expect(toMarkdown(document)).toBe('- [all](https://a.example/)\n- see  [this](https://a.example/)\n- **bold**');
});
