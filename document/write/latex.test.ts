import { createDocument } from '../builder';
import { tableCell } from '../grid';
import type { TableCell } from '../model';
import { toLatex } from './latex';

const getBody = (latex: string) => /\\begin\{document\}\n\n([^]*)\n\n\\end\{document\}\n$/.exec(latex)?.[1];

test('headings, styles, links, lists, code and formulas have their commands', () => {
  const built = createDocument('a');
  built.text('title', 'Report');
  built.heading(1, 'Costs & uses');
  built.text('text', 'bold', {
    formatting: { bold: true, italic: false, underline: false, strikethrough: false, script: 'baseline' },
    hyperlink: 'https://a.example/x_y?q=50%25#s',
  });
  const list = built.group('list');
  built.listItem('one', { parent: list });
  built.code('for (;;) {}');
  built.text('formula', 'a^2 + \\frac{b}{c}');
  expect(getBody(toLatex(built.document))).toBe(
    [
      '\\begin{center}\n{\\LARGE Report\\par}\n\\end{center}',
      '\\section{Costs \\& uses}',
      '\\href{https://a.example/x\\_y?q=50\\%25\\#s}{\\textbf{bold}}',
      '\\begin{itemize}\n\\item{} one\n\\end{itemize}',
      '\\begin{verbatim}\nfor (;;) {}\n\\end{verbatim}',
      '\\[ a^2 + \\frac{b}{c} \\]',
    ].join('\n\n'),
  );
});

test('cells that span rows and columns appear once, and rules do not cross them', () => {
  const built = createDocument('a');
  const cell = (at: [number, number], text: string, more: Partial<TableCell>) => ({
    ...tableCell(at[0], at[1], text, {}),
    ...more,
  });
  const cells = [
    cell([0, 0], 'tall', { row_span: 2, end_row_offset_idx: 2 }),
    cell([0, 1], 'wide', { col_span: 2, end_col_offset_idx: 3, column_header: true }),
    cell([1, 1], '[b]', {}),
    cell([1, 2], 'c', {}),
  ];
  const table = built.table({ table_cells: cells, num_rows: 2, num_cols: 3 });
  built.caption(table, 'Table 1: spans');
  expect(getBody(toLatex(built.document))).toBe(
    '\\begin{center}\nTable 1: spans\\par\n\\begin{tabular}{|l|l|l|}\n\\hline\n' +
      '\\multirow{2}{*}{tall} & \\multicolumn{2}{|l|}{\\textbf{wide}} \\\\ \\cline{2-3}\n' +
      ' & [b] & c \\\\ \\hline\n\\end{tabular}\n\\end{center}',
  );
});

test.each([
  ['text', '\\input{/etc/passwd} $x$ ^^5cinput % #1 ~ --flag'],
  ['title', '\\write18{id}'],
  ['code', 'a\n\\end{verbatim}\\input{/etc/passwd}'],
  ['code', '\\end {verbatim}\\input{/etc/passwd}'],
  ['formula', '\\input{/etc/passwd}'],
  ['formula', 'x \\] \\input{/etc/passwd} \\['],
  ['formula', '\\immediate\\write18{id}'],
  ['formula', '\\def\\a{\\input}\\a{/etc/passwd}'],
  ['formula', '\\newcommand{\\a}{b}\\a'],
  ['formula', '\\csname input\\endcsname{/etc/passwd}'],
  ['formula', '^^5cinput{/etc/passwd}'],
  ['formula', '\\includegraphics{/etc/passwd}'],
  ['formula', '\\begin{filecontents}{a}b\\end{filecontents}'],
  ['formula', '\\text{a $ \\directlua{os.exit()} $}'],
  ['formula', 'a % b'],
] as const)('a %s cannot inject a command: %s', (label, text) => {
  const built = createDocument('a');
  if (label === 'code') built.code(text);
  else built.text(label, text);
  const written = getBody(toLatex(built.document))!;
  expect(written).not.toMatch(
    /\\(?:input|write|immediate|def|newcommand|csname|includegraphics|directlua|end\s*\{verb)/,
  );
  expect(written).not.toMatch(/\^\^|(?<!\\)%|filecontents\}\{a/);
});

test('links that run scripts, and pictures outside the output folder, are dropped', () => {
  const built = createDocument('a');
  built.text('text', 'click', { hyperlink: 'javascript:alert(1)' });
  const image = (uri: string) => ({ mimetype: 'image/png', dpi: 72, size: { width: 1, height: 1 }, uri });
  for (const uri of ['../secret.png', '/etc/secret.png', 'a}\\input{b.png', 'artifacts/a_1.png'])
    built.picture({ image: image(uri) });
  const latex = getBody(toLatex(built.document, { imageMode: 'referenced' }))!;
  expect(latex.startsWith('click\n')).toBe(true);
  expect(latex.match(/\\includegraphics[^\n]*/g)).toEqual([
    '\\includegraphics[width=\\linewidth,height=0.8\\textheight,keepaspectratio]{artifacts/a_1.png}\\par',
  ]);
  expect(getBody(toLatex(built.document, { imageMode: 'embedded' }))).toBe('click');
});
