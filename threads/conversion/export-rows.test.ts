import { compoundFile, joinBytes, type Piece } from '../../formats/compound/test-support';
import { sheetData, workbookFile } from '../../formats/ooxml/test-support';
import { buildDefaultConvertOptions } from '../../model/conversion/request/options';
import type { ExportTask } from '../../services/conversion/export';
import { exportDocument } from './export-document';

async function exported(
  name: string,
  bytes: Uint8Array,
  change: Partial<ExportTask['options']>,
  more: Partial<ExportTask> = {},
) {
  const options = { ...buildDefaultConvertOptions(), ...change };
  const answer = await exportDocument({ name, bytes, options, packaging: 'inbody', ...more });
  if ('failure' in answer) throw new Error(answer.failure.message);
  const { exported: result } = answer;
  return { ...result, text: (format: string) => Buffer.from(result.outputs[format] ?? []).toString() };
}
const rows = 120_000;
const csv = () =>
  Buffer.from(
    `id,na_me,note\n${Array.from({ length: rows }, (_, at) => `${at},<b>|${at % 7},"two\nlines of ${'text '.repeat(20)}"\n`).join('')}`,
  );

test('a large CSV file is written row by row as Markdown, HTML and text', async () => {
  const result = await exported('big.csv', csv(), { to_formats: ['md', 'html', 'text'] });
  expect(result).toMatchObject({ status: 'success', format: 'csv', tables: 1, errors: [] });
  const md = result.text('md').split('\n');
  expect(md).toHaveLength(rows + 2);
  expect(md.slice(0, 3)).toEqual([
    '| id | na_me | note |',
    '| - | - | - |',
    `| 0 | <b>&#124;0 | two lines of ${'text '.repeat(20).trim()} |`,
  ]);
  expect(result.text('text')).toBe(result.text('md'));
  const html = result.text('html');
  expect(html.match(/<tr>/g)).toHaveLength(rows + 1);
  expect(html).toContain('<tr><td>1</td><td>&lt;b&gt;|1</td><td>two\nlines of text');
  expect(html.endsWith('</tbody></table>\n</div>\n</body>\n</html>')).toBe(true);
});

test('outputs that need every cell in memory say so, and the others are written', async () => {
  const result = await exported('big.csv', csv(), { to_formats: ['md', 'json'] });
  expect(result.status).toBe('partial_success');
  expect(Object.keys(result.outputs)).toEqual(['md']);
  expect(result.errors).toMatchObject([{ error_message: expect.stringContaining('too large for json') }]);
});

test('chunks are numbered across the whole table, and each has its header', async () => {
  const result = await exported(
    'big.csv',
    csv(),
    { to_formats: ['chunks'] },
    {
      chunking: {
        chunker: 'hierarchical',
        use_markdown_tables: true,
        use_markdown_images: false,
        image_placeholder: '',
        include_raw_text: false,
      },
    },
  );
  const chunks = result
    .text('chunks')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { chunk_index: number; text: string });
  expect(chunks.map(({ chunk_index }) => chunk_index)).toEqual(chunks.map((_, at) => at));
  expect(chunks.length).toBeGreaterThan(100);
  expect(chunks.every(({ text }) => text.includes('na_me'))).toBe(true);
}, 120_000);

test('a large workbook has a heading for each sheet; hidden sheets are omitted with a warning', async () => {
  const long = Array.from({ length: 60_000 }, (_, at) => [`Customer ${at}`, at, `note ${at} `.repeat(80)]);
  const bytes = workbookFile(
    { Or_ders: sheetData([['name', 'n', 'x'], ...long]), Secret: sheetData([['hidden']]), End: sheetData([['last']]) },
    { sheetAttributes: { Secret: 'state="hidden"' } },
  );
  const result = await exported('big.xlsx', bytes, { to_formats: ['md', 'yaml'] });
  expect(result).toMatchObject({ format: 'xlsx', pages: 3, tables: 2, status: 'partial_success' });
  const md = result.text('md');
  expect(md.startsWith('## Or\\_ders\n\n| name | n | x |\n| - | - | - |\n| Customer 0 | 0 |')).toBe(true);
  expect(md.endsWith('\n\n## End\n\n| last |\n| - |')).toBe(true);
  expect(md).not.toContain('hidden');
  expect(result.coverage).toEqual([{ kind: 'hidden sheet', count: 1, words: 0, in_json: false }]);
  expect(result.warnings).toEqual([expect.stringContaining('60002 rows were read one by one')]);
}, 120_000);

test('a large workbook of Excel 97 has the same warning, which names formulas if they were asked for', async () => {
  const record = (type: number, ...pieces: Piece[]) => {
    const data = joinBytes(...pieces);
    return joinBytes([2, type], [2, data.length], data);
  };
  const begin = (kind: number) => record(0x809, [2, 0x600], [2, kind], [4, 0], [4, 0], [4, 0]);
  const [end, columns] = [record(0x0a), 250];
  const cells = Buffer.concat(Array.from({ length: columns }, () => joinBytes([2, 0], [4, (7 << 2) | 2])));
  const rows = Array.from({ length: 2_900 }, (_, row) => record(0xbd, [2, row], [2, 0], cells, [2, columns - 1]));
  const writeHead = (at: number) =>
    joinBytes(begin(5), record(0x85, [4, at], [1, 0], [1, 0], [1, 1], [1, 0], Buffer.from('S')), end);
  const Workbook = joinBytes(writeHead(writeHead(0).length), begin(0x10), ...rows, end);
  const result = await exported('big.xls', compoundFile({ Workbook }), {
    to_formats: ['text'],
    include_formulas: true,
  });
  expect(result).toMatchObject({ format: 'xls', status: 'success' });
  expect(result.warnings).toEqual([
    'The table is large, so its 2900 rows were read one by one: formulas, charts, pictures, comments, headers and footers of the sheets are left out.',
  ]);
}, 120_000);
