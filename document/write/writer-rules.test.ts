import { createDocument, type DocumentBuilder } from '../builder';
import { tableCell } from '../grid';
import { documentFromJson } from '../json/json';
import { documentToJson } from '../json/write';
import { formatPythonLiteral } from '../literal';
import type { DoclingDocument, TableItem } from '../model';
import { toDoclang } from './doclang';
import { toDoctags } from './doctags';
import { toHtml } from './html';
import { toMarkdown } from './markdown';

function built(build: (builder: DocumentBuilder) => void): DoclingDocument {
  const builder = createDocument('sample');
  build(builder);
  return builder.document;
}
const findMarkdown = (build: (builder: DocumentBuilder) => void) => toMarkdown(built(build), { compactTables: true });
const findHtml = (build: (builder: DocumentBuilder) => void) =>
  /<div class='page'>\n([^]*)\n<\/div>\n<\/body>/.exec(toHtml(built(build)))![1]!;
const oneByOne = (text: string) => ({ table_cells: [tableCell(0, 0, text)], num_rows: 1, num_cols: 1 });

/** A table whose only row holds one item that spans two columns. */
function spanning(builder: DocumentBuilder, add: (table: TableItem) => { self_ref: string }): void {
  const cell = tableCell(0, 0, 'x', { col_span: 2 });
  const table = builder.table({ table_cells: [cell], num_rows: 1, num_cols: 2 });
  cell.ref = { $ref: add(table).self_ref };
}

describe('cells with rich content', () => {
  test('an item is in every place that it spans, a group in the first', () => {
    const bold = { bold: true, italic: false, underline: false, strikethrough: false, script: 'baseline' } as const;
    const item = (builder: DocumentBuilder) =>
      spanning(builder, (parent) => builder.text('text', 'wide', { parent, formatting: bold }));
    expect(findMarkdown(item)).toBe('| **wide** | **wide** |\n| - | - |');
    const list = (builder: DocumentBuilder) =>
      spanning(builder, (parent) => {
        const group = builder.group('list', { parent });
        builder.listItem('one', { parent: group });
        return group;
      });
    expect(findMarkdown(list)).toBe('| - one |  |\n| - | - |');
  });

  test('children of a table outside of its cells follow it in every writer', () => {
    const document = built((builder) => {
      spanning(builder, (parent) => builder.text('text', 'inside', { parent }));
      builder.text('text', 'below', { parent: builder.document.tables[0]! });
    });
    for (const text of [toMarkdown(document), toHtml(document), toDoctags(document), toDoclang(document)]) {
      expect(text.split('below')).toHaveLength(2);
      expect(text.lastIndexOf('inside')).toBeLessThan(text.indexOf('below'));
    }
    expect(toDoctags(document).split('inside')).toHaveLength(2);
  });
});

describe('meta', () => {
  test('footnotes of groups and of the document follow their content', () => {
    const build = (builder: DocumentBuilder) => {
      const section = builder.group('section');
      builder.text('text', 'inside', { parent: section });
      section.meta = { summary: { text: 'of the section' } };
      builder.document.body.meta = { topics: { values: ['a', 'b'] } };
    };
    expect(findMarkdown(build)).toBe('inside\n\nof the section\n\na, b');
    expect(findHtml(build)).toMatch(/^<p>inside<\/p>\n<details [^\n]*of the section[^\n]*\n<details [^\n]*a, b/);
  });

  test('custom fields and old annotations are written as data', () => {
    const own = (builder: DocumentBuilder) => {
      builder.text('text', 'x').meta = {
        my__note: "it's",
        my__data: { a: [1, 2.5, null, true] },
        docloom__mail: 'not written',
        other: 'not written',
      };
    };
    expect(findMarkdown(own)).toBe("x\n\nit's\n\n{'a': [1, 2.5, None, True]}");
    const old = (builder: DocumentBuilder) => {
      const bars = { kind: 'bar_chart_data', title: 'T', bars: [{ label: 'a', values: 1 }] };
      builder.picture().annotations = [{ kind: 'misc', content: { k: 'v' } }, bars];
    };
    expect(findMarkdown(old)).toBe(
      "<!-- image -->\n\n{'k': 'v'}\n\n{'kind': 'bar_chart_data', 'title': 'T', 'bars': [{'label': 'a', 'values': 1.0}]}",
    );
  });

  test('data of any depth are written as one line', () => {
    let deep: unknown = 'x\n\'"\\';
    expect(formatPythonLiteral(deep)).toBe(String.raw`'x\n\'"\\'`);
    for (let level = 0; level < 10_000; level++) deep = [deep];
    expect(formatPythonLiteral(deep)).toContain('...');
  });
});

describe('formulas', () => {
  test('keep their styles and links', () => {
    const build = (builder: DocumentBuilder) => {
      builder.text('formula', 'x', { hyperlink: 'https://example.org/' });
    };
    expect(findMarkdown(build)).toBe('[$$x$$](https://example.org/)');
    expect(findHtml(build)).toMatch(/^<a href="https:\/\/example\.org\/"><div><math /);
  });

  test('inline boxes and undecoded formulas are not blocks', () => {
    const html = findHtml((builder) => {
      const parent = builder.group('inline');
      builder.text('checkbox_selected', 'yes', { parent });
      builder.text('formula', '', { parent, orig: 'raw' });
    });
    expect(html).toBe(
      `<span class='inline-group'><input type="checkbox" disabled checked/> yes <span class="formula-not-decoded">Formula not decoded</span></span>`,
    );
  });
});

test('each caption of a table has a box of its own', () => {
  const html = findHtml((builder) => {
    const table = builder.table(oneByOne('a'));
    builder.caption(table, 'one');
    builder.caption(table, 'two');
  });
  expect(html).toContain('<caption><div class="caption">one</div> <div class="caption">two</div></caption>');
});

test('a caption is written with its owner, regardless of its own layer', () => {
  const build = (builder: DocumentBuilder) => {
    builder.caption(builder.picture(), 'Fig. 1', { layer: 'furniture' });
    builder.caption(builder.picture({ layer: 'furniture' }), 'no');
  };
  expect(findMarkdown(build)).toBe('Fig. 1\n\n<!-- image -->');
  expect(findHtml(build)).toBe('<figure><figcaption><div class="caption">Fig. 1</div></figcaption></figure>');
});

test('DocTags: a list is split at pages as a whole; empty tables are omitted', () => {
  const bbox = { l: 0, t: 0, r: 1, b: 1, coord_origin: 'TOPLEFT' } as const;
  const on = (page_no: number) => ({ prov: [{ page_no, bbox, charspan: [0, 1] as [number, number] }] });
  const document = built((builder) => {
    const parent = builder.group('list');
    builder.listItem('one', { parent, ...on(1) });
    builder.listItem('two', { parent, ...on(2) });
    builder.text('text', 'after', on(2));
    builder.table({ table_cells: [], num_rows: 0, num_cols: 0 });
  });
  expect(toDoctags(document)).toBe(
    '<doctag><unordered_list><list_item>one</list_item>\n<list_item>two</list_item>\n</unordered_list>\n<page_break>\n<text>after</text>\n</doctag>',
  );
});

describe('lists of older documents', () => {
  test('items without a list get one, and adjacent items share it', () => {
    const document = built((builder) => {
      const parent = builder.group('list');
      for (const text of ['a', 'b', 'c']) builder.listItem(text, { parent });
      const between = builder.text('text', 'between');
      loosen(builder.document, [0, 1, between, 2]);
    });
    const read = documentFromJson(documentToJson(document));
    expect(toMarkdown(read)).toBe('- a\n- b\n\nbetween\n\n- c');
    expect(read.groups.map(({ label }) => label)).toEqual(['list', 'list']);
  });

  test('ordered lists are lists of enumerated items', () => {
    const document = built((builder) => {
      builder.listItem('a', { parent: builder.group('ordered_list'), enumerated: true, marker: '' });
    });
    expect(documentFromJson(documentToJson(document)).groups[0]!.label).toBe('list');
  });
});

/** Takes list items out of their list and puts them, by index, and others under the body. */
function loosen(document: DoclingDocument, order: (number | { self_ref: string })[]): void {
  document.groups = [];
  for (const item of document.texts) item.parent = { $ref: '#/body' };
  document.body.children = order.map((item) => ({
    $ref: typeof item === 'number' ? `#/texts/${item}` : item.self_ref,
  }));
}
