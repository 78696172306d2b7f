import { failuresOfDamaged } from '../compound/test-support';
import { convertBytes } from '../convert';

const convert = async (body: string) => {
  const bytes = Buffer.from(
    `{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\fcharset0 Times;}{\\f1\\fcharset204 Cyr;}}${body}}`,
    'latin1',
  );
  const { document, format, coverage } = await convertBytes({ bytes, name: 'a.rtf' });
  expect(format).toBe('rtf');
  return { document, coverage, bytes, texts: document.texts.map(({ label, text }) => [label, text]) };
};

test('headings by outline level, paragraphs, styles and links are read', async () => {
  const { document, texts } = await convert(
    '\\pard\\outlinelevel0 Chapter\\par\\pard plain {\\b bold} end\\par ' +
      '{\\field{\\*\\fldinst HYPERLINK "https://a.example/"}{\\fldrslt link}}\\par',
  );
  expect(texts).toEqual([
    ['section_header', 'Chapter'],
    ['text', 'plain'],
    ['text', 'bold'],
    ['text', 'end'],
    ['text', 'link'],
  ]);
  expect(document.texts[2]!.formatting).toMatchObject({ bold: true });
  expect(document.texts[4]!.hyperlink).toBe('https://a.example/');
});

test.each([
  ["Gr\\'fc\\'dfe \\u8211? \\'80", 'Grüße – €'],
  ["\\f1 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2", 'Привет'],
  ['\\uc2\\u26085 xx\\u26412 xx', '日本'],
  ['a\\emdash b\\~c\\_d \\{e\\}', 'a—b\u00a0c-d {e}'],
  ['a\r\nb{\\*\\unknown hidden}{\\v hidden}', 'ab'],
])('text %j', async (rtf, text) => {
  expect((await convert(`\\pard ${rtf}\\par`)).texts).toEqual([['text', text]]);
});

test('the words of formulas are read without their properties', async () => {
  const run = (text: string) => `{\\mr\\mscr0 ${text}}`;
  const { texts } = await convert(
    `\\pard Area {\\mmath{\\*\\moMathPara{\\*\\moMath${run('A=')}{\\mf{\\mfPr{\\mtype bar}}{\\mnum ${run('a')}}{\\mden ${run('2')}}}` +
      `{\\msSup{\\me ${run('r')}}{\\msup ${run('2')}}}{\\macc{\\maccPr{\\mchr ?}}{\\me ${run('x')}}}}}}\\par`,
  );
  expect(texts).toEqual([['text', 'Area A=a/2r^2x']]);
});

test('tables, list items, footnotes, headers and comments are read', async () => {
  const row = (...cells: string[]) => `\\trowd\\pard\\intbl ${cells.map((cell) => `${cell}\\cell`).join(' ')}\\row `;
  const { document, texts, bytes } = await convert(
    `{\\header Paper of the board\\par}${row('Name', 'Sum')}${row('Rent', '900')}\\pard after{\\footnote A note.}\\par ` +
      '{\\listtext\\pard 1.\\tab}first\\par{\\listtext\\pard 2.\\tab}second\\par',
  );
  expect(document.tables[0]!.data.table_cells.map(({ text }) => text)).toEqual(['Name', 'Sum', 'Rent', '900']);
  expect(texts).toEqual([
    ['text', 'after'],
    ['list_item', 'first'],
    ['list_item', 'second'],
    ['page_header', 'Paper of the board'],
    ['footnote', 'A note.'],
  ]);
  expect(document.texts[2]).toMatchObject({ enumerated: true, marker: '2.' });
  expect(document.texts[3]!.content_layer).toBe('furniture');
  expect(await failuresOfDamaged(bytes, 'a.rtf', 11)).toEqual([]);
});

test('pictures and objects are counted; bytes of pictures are not read as text', async () => {
  const { texts, coverage } = await convert('a{\\pict\\bin4 {}{}}{\\object{\\*\\objdata 00}{\\result b}}\\par');
  expect(texts).toEqual([['text', 'a']]);
  expect(coverage.map(({ kind, count }) => [kind, count])).toEqual([
    ['picture', 1],
    ['embedded object', 1],
  ]);
});

test('a file that ends within a group is read with a warning, also where a picture is longer than the file', async () => {
  for (const body of ['{\\rtf1 before\\par {\\b after', '{\\rtf1 before\\par {\\pict\\bin4294967295 ab} after}']) {
    const { document, warnings } = await convertBytes({ bytes: Buffer.from(body), name: 'a.rtf' });
    expect(document.texts[0]!.text).toBe('before');
    expect(warnings).toEqual(["The last group of 'a.rtf' is not closed: the end of the file may be missing."]);
  }
});

test.each([2147483647, -1])('%d fallback characters do not hide the text after a character', async (count) => {
  expect((await convert(`\\uc${count}\\u8364 ?hello\\par`)).texts).toEqual([['text', '€hello']]);
});

test('a file that is not RTF, or too deeply nested, is rejected', async () => {
  const refused = (text: string) => convertBytes({ bytes: Buffer.from(text), name: 'a.rtf' });
  await expect(refused('plain words')).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
  await expect(refused(`{\\rtf1 ${'{'.repeat(600)}`)).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE' });
});
