import { toReadableText } from '../../document/write/text';
import { defaultLimits } from '../../formats/format';
import { read } from '../../formats/markdown/read';
import { listHeadings, markHeadings } from './headings';

const convert = (markdown: string) => read(Buffer.from(markdown), { name: 'a', limits: defaultLimits });
const mark = async (markdown: string, change: (text: string) => string = (text) => text) => {
  const document = await convert(markdown);
  return markHeadings(change(toReadableText(document)), listHeadings(document));
};

test.each([
  ['each level', '# One\n\ntext\n\n## Two\n\n### Three\n\ntext\n\n## Four\n\ntext'],
  ['special characters, which the text has unescaped', '# A_b & c\n\na_b \\* c\n\n## [x]\n\ntext'],
  ['no headings', 'One\n\ntext'],
])('marks %s', async (_name, markdown) => {
  expect(await mark(markdown)).toBe(markdown.replaceAll('\\', ''));
});

test('of equal lines, the heading is marked', async () => {
  expect(await mark('Contents\n\nSupplier\n\n# Supplier\n\ntext\n\nSupplier')).toBe(
    'Contents\n\nSupplier\n\n# Supplier\n\ntext\n\nSupplier',
  );
});

test('a text that lacks a heading, or has more lines that are equal to it, gets no marks', async () => {
  const markdown = '# One\n\ntext\n\n# Two\n\ntext';
  expect(await mark(markdown, (text) => text.replace('Two', '***'))).toBeUndefined();
  expect(await mark(markdown, (text) => `${text}\n\nOne`)).toBeUndefined();
  expect(await mark(markdown, (text) => text.replaceAll('text', 'other\nlines'))).toBe(
    markdown.replaceAll('text', 'other\nlines'),
  );
});
