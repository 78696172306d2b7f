import type { DoclingDocument } from '../../document/model';
import { checkTree } from '../../document/validate';
import { toMarkdown } from '../../document/write/markdown';
import { convertBytes } from '../convert';

async function read(body: string, preamble = ''): Promise<DoclingDocument> {
  const source = `\\documentclass{article}\n${preamble}\n\\begin{document}\n${body}\n\\end{document}\nnot read`;
  const { document, format } = await convertBytes({ bytes: new TextEncoder().encode(source), name: 'paper.tex' });
  expect(format).toBe('latex');
  checkTree(document);
  return document;
}
const markdown = async (body: string, preamble = '') => toMarkdown(await read(body, preamble), { compactTables: true });

describe('the LaTeX reader', () => {
  test('title, authors, abstract and sections', async () => {
    const text = await markdown(
      '\\maketitle\n\\begin{abstract}Short.\\end{abstract}\n\\section{One}\\label{a}\nFirst\nline.\n\n\\subsection*{Two}\nSecond.',
      '\\title{On \\emph{Lynx}}\\author{Ann \\and Bo}',
    );
    expect(text).toBe('# On Lynx\n\nAnn Bo\n\n## Abstract\n\nShort.\n\n## One\n\nFirst  \nline.\n\n### Two\n\nSecond.');
  });

  test('a subparagraph is a heading of the fifth level', async () => {
    expect(await markdown('\\paragraph{A} b\n\\subparagraph{C} d')).toBe('A b\n\n###### C\n\nd');
  });

  test('comments are removed with their line end; an escaped percent sign is kept', async () => {
    expect(await markdown('a% note\n  b\n% whole line\n50\\% of it')).toBe('ab  \n50% of it');
  });

  test('lengths are not text, with braces or without', async () => {
    expect(await markdown('\\setlength{\\tabcolsep}{2pt}A\\setlength\\tabcolsep{2pt} b')).toBe('A b');
  });

  test('a comment before an empty line does not join paragraphs', async () => {
    expect(await markdown('One. % note\n\nTwo.')).toBe('One.\n\nTwo.');
  });

  test('environments and labels whose names never end are read in linear time', async () => {
    const started = process.cpuUsage();
    await read('\\begin{'.repeat(60_000));
    await read(`$$${'\\label{'.repeat(60_000)}$$`);
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(8);
  });

  test('an escaped dollar before a formula opens no displayed formula', async () => {
    expect((await read('It costs \\$$x$ and more.\n\nSecond.')).texts.map(({ label }) => label)).not.toContain(
      'formula',
    );
  });

  test('a line break before a displayed formula or a heading leaves them as they are', async () => {
    const { texts } = await read('One\\\\\\[x = 1\\] two\\\\section of a line');
    expect(texts.map(({ label, text }) => `${label} ${text}`)).toEqual([
      'text One',
      'formula x = 1',
      'text two\nsection of a line',
    ]);
  });

  test('formulas are kept: displayed ones as items, inline ones between dollars', async () => {
    const document = await read('So $x_1$ and\n\\begin{equation}\\label{e}a = b\\end{equation}\n\\[ c \\]\n$$d$$');
    expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
      ['text', 'So $x_1$ and'],
      ['formula', 'a = b'],
      ['formula', 'c'],
      ['formula', 'd'],
    ]);
  });

  test('accents, symbols, quotes, references and links are converted', async () => {
    expect(await markdown("Caf\\'e \\c{c} ``q'' 1--2 \\ldots{} A~B \\cite[p. 1]{x,y} \\url{http://a.b/c\\_d}")).toBe(
      'Café ç "q" 1–2 … A B [x,y] http://a.b/c\\_d',
    );
  });

  test('a table has spans over columns and rows', async () => {
    const document = await read(
      '\\begin{tabular}{l|c|r}\\hline A & \\multicolumn{2}{c}{B} \\\\ \\hline\n\\multirow{2}{*}{c} & 1 & \\& \\\\ & 2 & $y$ \\\\ \\hline\\end{tabular}',
    );
    const { data } = document.tables[0]!;
    expect([data.num_rows, data.num_cols]).toEqual([4, 3]);
    expect(data.table_cells.map(({ text, row_span, col_span }) => [text, row_span, col_span])).toEqual([
      ['A', 1, 1],
      ['B', 1, 2],
      ['c', 2, 1],
      ['1', 1, 1],
      ['&', 1, 1],
      ['2', 1, 1],
      ['$y$', 1, 1],
      ['', 1, 1],
    ]);
  });

  test('lists nest; figures are groups with their picture and caption', async () => {
    expect(
      await markdown('\\begin{enumerate}\\item a\\begin{itemize}\\item b\\end{itemize}\\item[T] c\\end{enumerate}'),
    ).toBe('1. a\n    - b\n2. T c');
    const document = await read('\\begin{figure}[t]\\includegraphics[width=1cm]{a.png}\\caption{Map.}\\end{figure}');
    expect(document.groups[0]).toMatchObject({ label: 'section', name: 'figure' });
    expect(toMarkdown(document)).toBe('Image: a.png\n\n<!-- image -->\n\nMap.');
  });

  test('the title of a subfigure is in brackets', async () => {
    expect(await markdown('\\begin{figure}\\subfigure[Part $a$]{\\includegraphics{a.png}}\\end{figure}')).toBe(
      '[Part $a$]\n\nImage: a.png\n\n<!-- image -->',
    );
  });

  test('listings are code with their language, and their content is not interpreted', async () => {
    const document = await read('\\begin{lstlisting}[language=Python]\nx = 1 % two\n\\end{lstlisting}');
    expect(document.texts).toMatchObject([{ label: 'code', text: 'x = 1 % two', code_language: 'Python' }]);
  });

  test('a note is placed at its mark and ends the text before it', async () => {
    const document = await read('Text\\footnote{A note.} on \\emph{and\\footnote{Within.}} on.');
    expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
      ['text', 'Text'],
      ['footnote', 'A note.'],
      ['text', 'on and on.'],
      ['footnote', 'Within.'],
    ]);
  });

  test.each([
    ['formulas', 'Let $x$ be.', 'Let', '$x$ be.'],
    ['references', 'As in \\cite{a}.', 'As in', '[a].'],
    ['macros', 'All \\us{} do.', 'All', 'we do.'],
    ['comments', 'One\n% note\ntwo.', 'One', 'two.'],
    ['signs', 'A~b.', 'A', 'b.'],
  ])('the leading words of a paragraph are a separate item before %s', async (_name, text, words, rest) => {
    const { texts } = await read(`Start.\n\n${text}\n\n% note\n\nEnd.`, '\\newcommand{\\us}{we}');
    expect(texts.map(({ label, text }) => [label, text])).toEqual([
      ['text', 'Start.'],
      ['paragraph', words],
      ['text', rest],
      ['paragraph', 'End.'],
    ]);
  });

  test.each([
    ['a group in braces after the layout is the first cell', '{tabular}{ll}{\\bf A} & B\\end{tabular}'],
    ['a width comes before the layout', '{tabular*}{\\textwidth}{ll}{\\bf A} & B\\end{tabular*}'],
    ['a position may be between width and layout', '{tabularx}{9cm}[t]{ll}{\\bf A} & B\\end{tabularx}'],
  ])('the layout of a table has no text: %s', async (_case, table) => {
    expect(await markdown(`\\begin${table}`)).toBe('| A | B |\n| - | - |');
  });

  test('keys follow the word they are tied to; cells keep references as written', async () => {
    expect(await markdown('Figure~\\ref{f} of A~B')).toBe('Figure[f] of A B');
    expect(await markdown('\\begin{tabular}{l}A \\citep{b} \\\\\\end{tabular}')).toBe('| A \\citep{b} |\n| - |');
  });

  test('acknowledgements are next to the names of authors; entries of a bibliography start with their key', async () => {
    expect(
      await markdown(
        '\\begin{thebibliography}{9}\\bibitem{k}\nAnn. Book.\\end{thebibliography}',
        '\\author{Ann\\thanks{For all.} \\and Bo\\footnotemark[1]}',
      ),
    ).toBe('Ann For all. Bo[1]\n\n## References\n\n- k  \nAnn. Book.');
  });

  test('user-defined macros are replaced with their arguments, in formulas too', async () => {
    expect(
      await markdown(
        '\\us{} and \\by[x]{y}, \\by{z}: $\\R^2$',
        '\\newcommand{\\us}{We}\\newcommand{\\by}[2][d]{#2 by #1}\\def\\R{\\mathbb{R}}',
      ),
    ).toBe('We and y by x, z by d: $\\mathbb{R}^2$');
  });

  test('a recursive macro ends; one that grows without limit is DOCUMENT_TOO_LARGE', async () => {
    expect(await markdown('a \\loop b', '\\newcommand{\\loop}{\\loop}')).toBe('a b');
    await expect(read('\\boom', '\\def\\boom{\\boom\\boom\\boom\\boom}')).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_LARGE',
    });
  });

  test('unclosed environments and braces end with the file at any depth', async () => {
    expect(await markdown('\\begin{itemize}\\item a')).toBe('- a');
    expect(await markdown(`${'\\begin{center}'.repeat(5000)}x`)).toContain('x');
    expect(await markdown(`${'{'.repeat(100_000)}x`)).toBe('x');
  });

  test('the date is a separate text, and today is omitted', async () => {
    expect(await markdown('A.', '\\title{T}\\date{May 2020}')).toBe('# T\n\nMay 2020\n\nA.');
    expect(await markdown('A.', '\\title{T}\\date{\\today}')).toBe('# T\n\nA.');
  });

  test('theorems, including those defined by the document, have their name in bold; a proof ends with a square', async () => {
    expect(
      await markdown(
        '\\begin{theorem}[Euler] A.\\end{theorem}\\begin{thm}B.\\end{thm}\\begin{proof}C.\\end{proof}',
        '\\newtheorem{thm}[theorem]{Satz}',
      ),
    ).toBe('**Theorem (Euler).**\n\nA.\n\n**Satz.**\n\nB.\n\n*Proof.*\n\nC.\n\n◻');
  });

  describe('input files of a document', () => {
    const files: Record<string, string> = {
      'main.tex':
        '\\documentclass{a}\\input{macros}\\begin{document}\\input parts/one \\include{parts/two.tex}\\input{gone}\\input{loop}\\begin{verbatim}\\input{x}\\end{verbatim}\\end{document}',
      'macros.tex': '\\newcommand{\\who}{Ann}% comment',
      'parts/one.tex': '\\section{One}',
      'parts/two.tex': '\\documentclass{b}\\begin{document}Hello \\who.\\end{document}',
      'loop.tex': 'L \\input{loop}',
    };
    const getBytes = (name: string) => new TextEncoder().encode(files[name]);

    test('are in their places, with their macros; missing and endless files are named in a warning', async () => {
      const { document, warnings } = await convertBytes({
        bytes: getBytes('main.tex'),
        name: 'main.tex',
        related: (path) => (files[path] === undefined ? undefined : getBytes(path)),
      });
      expect(toMarkdown(document)).toBe('## One\n\nHello Ann. L\n\n```\n\\input{x}\n```');
      expect(warnings).toEqual([
        "The included file 'gone' was omitted: it is not in the folder of the document.",
        "The included file 'loop' was omitted: it includes itself.",
      ]);
    });

    test('pictures next to the document are kept with their data, and found without an extension too', async () => {
      const bitmap = new Uint8Array(60);
      new DataView(bitmap.buffer).setUint16(0, 0x424d);
      new DataView(bitmap.buffer).setInt32(18, 3, true);
      new DataView(bitmap.buffer).setInt32(22, 2, true);
      const { document } = await convertBytes({
        bytes: new TextEncoder().encode('\\includegraphics[width=1cm]{figures/a}\\includegraphics{gone}'),
        name: 'main.tex',
        related: (path) => (path === 'figures/a.png' ? bitmap : undefined),
      });
      expect(document.pictures.map(({ image }) => image?.size)).toEqual([{ width: 3, height: 2 }, undefined]);
    });

    test('are omitted with a warning if the document comes alone', async () => {
      const { warnings } = await convertBytes({ bytes: getBytes('main.tex'), name: 'main.tex' });
      expect(warnings).toHaveLength(5);
      expect(warnings[0]).toContain('only the document itself was sent');
    });
  });

  test('\\href keeps its address: as a link in text and lists, after the words in cells and notes', async () => {
    const document = await read(
      'Of \\emph{it}: \\href{https://a.org/x\\_y}{the \\textbf{site}} and \\url{http://b.org/~c}.\n\n\\href{http://d.org}{Alone}\n' +
        '\\begin{itemize}\\item See \\href{http://e.org}{this}.\\item \\href{http://f.org}{That}\\end{itemize}\n' +
        '\\begin{tabular}{ll} a & \\href{http://g.org}{cell} \\end{tabular}\n\nNote\\footnote{By \\href{http://h.org}{him}.}.',
    );
    expect(toMarkdown(document, { compactTables: true })).toBe(
      'Of it: [the site](https://a.org/x_y) and http://b.org/~c.\n\n[Alone](http://d.org)\n\n- See [this](http://e.org) .\n- [That](http://f.org)\n\n' +
        '| a | cell (http://g.org) |\n| - | - |\n\nNote\n\nBy him (http://h.org).\n\n.',
    );
  });

  test('disabled branches are removed', async () => {
    const text = await markdown(
      'A\\iffalse no \\ifx a b no\\fi \\else yes\\fi. \\iftrue On\\else off\\fi. \\ifdraft Draft\\else Final\\fi. \\ifshort Short\\fi. $a \\iff b$.',
      '\\newif\\ifdraft\n\\newif\\ifshort\n\\drafttrue\\draftfalse\\shorttrue',
    );
    expect(text).toBe('A yes. On. Final. Short. $a \\iff b$.');
  });

  test('overlay specifications of slides are removed', async () => {
    const bytes = new TextEncoder().encode(
      '\\documentclass[t]{beamer}\\title{T}\\subtitle{Sub}\\begin{document}\\begin{frame}{Head}\\begin{itemize}\\item<1-> One\\item<2-|alert@2> Two\\end{itemize}' +
        '\\only<1>{Only} \\column{0.5\\textwidth} $a<1 b>$\\end{frame}\\end{document}',
    );
    const { document } = await convertBytes({ bytes, name: 'slides.tex' });
    expect(toMarkdown(document)).toBe('# T\n\nSub\n\nHead\n\n- One\n- Two\n\nOnly $a&lt;1 b&gt;$');
  });

  test('a long table has the header of its first page and the footer of its last', async () => {
    const text = await markdown(
      '\\begin{longtable}{ll}\\caption{Long}\\label{t}\\\\ \\hline A & B \\\\ \\endfirsthead A & B (more) \\\\ \\endhead ' +
        '\\multicolumn{2}{r}{turn over} \\\\ \\endfoot end & \\\\ \\endlastfoot 1 & 2 \\\\ 3 & 4 \\\\ \\end{longtable}',
    );
    expect(text).toBe('Long\n\n| A | B |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |\n| end |  |');
  });

  test('a drawing is a picture with its source code; listings have captions; inverted punctuation is converted', async () => {
    const document = await read(
      "\\begin{tikzpicture}\\node {A};\\end{tikzpicture}\n\\begin{lstlisting}[language=C, caption={Main {part}}]\nint a;\n\\end{lstlisting}\n!`Hola! ?`Qu\\'e?",
    );
    expect(document.pictures[0]!.meta).toEqual({
      code: { text: '\\begin{tikzpicture}\\node {A};\\end{tikzpicture}', language: 'Tikz' },
    });
    expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
      ['caption', 'Main part'],
      ['code', 'int a;'],
      ['text', '¡Hola! ¿Qué?'],
    ]);
  });
});
