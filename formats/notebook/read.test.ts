import { convertBytes } from '../convert';
import { pngHeader } from '../ooxml/test-support';

const convert = (notebook: object, name = 'work.ipynb') =>
  convertBytes({ bytes: Buffer.from(JSON.stringify(notebook)), name });
const code = (source: string | string[], ...outputs: object[]) => ({ cell_type: 'code', source, outputs });
const shown = (data: object) => ({ output_type: 'display_data', data });

test('Markdown, code with its language, printed text, tables, pictures, formulas and errors are read', async () => {
  const { document, format } = await convert(
    {
      metadata: { language_info: { name: 'julia' } },
      cells: [
        { cell_type: 'markdown', source: ['# Title\n', '\n', 'Some **bold** text'] },
        code(['x = 1\n', 'x'], { output_type: 'stream', text: ['10%\r', '100%\n'] }),
        code(
          'frame',
          shown({ 'text/html': ['<table><tr><th>a</th></tr><tr><td>1</td></tr></table>'], 'text/plain': 'a\n1' }),
        ),
        code(
          'plot()',
          shown({ 'image/png': Buffer.from(pngHeader(4, 3)).toString('base64'), 'text/plain': '<Figure>' }),
        ),
        code('tex', shown({ 'text/latex': '$$a^2$$' })),
        code('html', shown({ 'text/html': '<b>seen</b>', 'text/plain': '<IPython.core.display.HTML object>' })),
        code('1/0', { output_type: 'error', ename: 'Zero', evalue: 'no', traceback: ['\u001b[31mZero\u001b[0m: no'] }),
      ],
    },
    'work.json',
  );
  expect(format).toBe('ipynb');
  const texts = document.texts.map(({ label, text }) => [label, text]);
  expect(texts).toContainEqual(['title', 'Title']);
  expect(texts.filter(([label]) => label === 'code').map(([, text]) => text)).toEqual([
    ...['x = 1\nx', '100%', 'frame', 'plot()', 'tex', 'html', '1/0', 'Zero: no'],
  ]);
  expect(texts).toContainEqual(['formula', 'a^2']);
  expect(texts).toContainEqual(['text', 'seen']);
  expect(document.texts.find(({ text }) => text === 'plot()')).toMatchObject({ code_language: 'Julia' });
  expect(document.tables[0]!.data.table_cells.map(({ text }) => text)).toEqual(['a', '1']);
  expect(document.pictures[0]!.image).toMatchObject({ size: { width: 4, height: 3 } });
});

test('format 3 is read, and other files are rejected', async () => {
  const cells = [
    { cell_type: 'heading', level: 2, source: 'Part' },
    { cell_type: 'code', language: 'python', input: 'print(1)', outputs: [{ output_type: 'pyout', text: ['1'] }] },
  ];
  const { document } = await convert({ nbformat: 3, worksheets: [{ cells }] });
  expect(document.texts.map(({ text }) => text)).toEqual(['Part', 'print(1)', '1']);
  await expect(convert({ metadata: {} })).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
  await expect(convertBytes({ bytes: Buffer.from('{'), name: 'a.ipynb' })).rejects.toMatchObject({
    code: 'DOCUMENT_CORRUPT',
  });
});
