import { documentToJson, toMarkdown } from '../../document';
import { toReadableText } from '../../document/write/text';
import { convertBytes } from '../../formats/convert';
import { contextFor, documentRow, unusedFiles } from '../../test/support/operators/operator-test-support';
import { run } from './run';
import { tableRows } from './schema';

/** A row of a converted HTML page, and the files store with its document. */
async function converted(html: string) {
  const { document } = await convertBytes({ bytes: Buffer.from(html), name: 'page.html' });
  const files = { ...unusedFiles, get: async () => Buffer.from(documentToJson(document)) };
  const row = documentRow('d', toReadableText(document), { document_ref: 'documents/d.json', pages_processed: 1 });
  return { context: contextFor({ files }), row, markdown: toMarkdown(document) };
}
const page = `<h1>Prices</h1><table><caption>Parts of 2024</caption>
<tr><th>Article</th><th>Price</th></tr><tr><td>Bolt</td><td>3.20</td></tr><tr><td>=cmd()</td><td>1,5</td></tr></table>
<table><tr><td>no</td><td>header</td></tr><tr><td>1</td><td></td></tr></table><p>End.</p>`;

test('each row of a table is a row with its cells by column, in the order of the document', async () => {
  const { row, context } = await converted(page);
  const { rows, metrics } = await run([row], {}, context);
  expect(rows.map(({ id, content, table_cells }) => ({ id, content, table_cells }))).toEqual([
    {
      id: 'd:t0:r0',
      content: 'Parts of 2024\nArticle: Bolt; Price: 3.20',
      table_cells: { Article: 'Bolt', Price: '3.20' },
    },
    {
      id: 'd:t0:r1',
      content: 'Parts of 2024\nArticle: =cmd(); Price: 1,5',
      table_cells: { Article: '=cmd()', Price: '1,5' },
    },
    {
      id: 'd:t1:r0',
      content: 'column 1: no; column 2: header',
      table_cells: { 'column 1': 'no', 'column 2': 'header' },
    },
    { id: 'd:t1:r1', content: 'column 1: 1', table_cells: { 'column 1': '1', 'column 2': '' } },
  ]);
  expect(rows.every((row) => row.document_id === 'd' && row.document_ref === undefined)).toBe(true);
  expect(rows.map(({ chunk_index: index }) => index)).toEqual([0, 1, 2, 3]);
  expect(metrics).toEqual({ tables: 2, table_rows: 4 });
});

test('each table becomes a row with CSV that is safe for spreadsheets, or the tables of the document go into a column', async () => {
  const { row, context } = await converted(page);
  const tables = await run([row], { output: 'tables', min_rows: 2 }, context);
  expect(tables.rows[0]).toMatchObject({ id: 'd:t0', table_csv: `Article,Price\r\nBolt,3.20\r\n'=cmd(),"1,5"\r\n` });
  const column = await run([row], { output: 'column', max_rows: 1 }, context);
  expect(column.rows).toMatchObject([
    { id: 'd', document_ref: 'documents/d.json', tables: [{ caption: 'Parts of 2024', rows: [['Bolt', '3.20']] }, {}] },
  ]);
  expect(column.warnings).toEqual(['Kept only 1 row of each of 2 tables. Raise max_rows to keep more.']);
});

test('stacked headers are joined, and equal names are made unique', async () => {
  const { row, context } = await converted(
    `<table><tr><th rowspan="2">Site</th><th colspan="2">2024</th><th>x</th></tr><tr><th>Q1</th><th>Q1</th><th>x</th></tr><tr><td>A</td><td>1</td><td>2</td><td>3</td></tr></table>`,
  );
  const { rows } = await run([row], {}, context);
  expect(rows[0]?.['table_columns']).toEqual(['Site', '2024 / Q1', '2024 / Q1 2', 'x']);
});

test('documents without tables are skipped, and those whose text was masked give none', async () => {
  const { row, context } = await converted(page);
  const masked = { ...row, content: row.content?.replace('Bolt', '****') };
  const { rows, skipped } = await run([masked], {}, context);
  expect(rows).toEqual([]);
  expect(skipped).toMatchObject([{ id: 'd', reason: 'It has no tables' }]);
});

test('chunks are rejected', async () => {
  await expect(run([documentRow('a', 'x', { chunk_index: 0 })], {}, contextFor())).rejects.toThrow(
    'before the chunker',
  );
  expect(tableRows.validate({}, new Set(['chunk_index']))).toHaveLength(1);
});
