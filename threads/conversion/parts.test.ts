import { convertBytes } from '../../formats';
import { writePartFiles } from './parts';

test.each([
  ['=HYPERLINK("http://127.0.0.1")', `"'=HYPERLINK(""http://127.0.0.1"")"`],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['-A1', "'-A1"],
  ['-5', '-5'],
  ['-1,234.50', '"-1,234.50"'],
  ['+49 30 1234', '+49 30 1234'],
])('the cell %s of a table is written as %s', async (text, written) => {
  const page = `<table><tr><th>head</th></tr><tr><td>${text.replaceAll('"', '&quot;')}</td></tr></table>`;
  const { document } = await convertBytes({ name: 'a.html', bytes: Buffer.from(page) });
  const [file] = writePartFiles(document, ['tables']);
  expect(new TextDecoder().decode(file?.bytes)).toBe(`head\r\n${written}\r\n`);
});
