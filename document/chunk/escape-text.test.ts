import { defaultLimits } from '../../formats/format';
import { read } from '../../formats/markdown/read';
import { toReadableText } from '../write/text';
import { escapeText } from './escape-text';

const readBack = async (text: string, headings: [string, number][] = []) =>
  await read(new TextEncoder().encode(escapeText(text, new Map(headings))), { name: 'a.md', limits: defaultLimits });

test.each([
  'order_number and ERR_42 of jane_doe',
  'a < b && b > c, List<String>, <b>no tag</b> &amp; &lt;',
  'stars * and ** signs, `code`, ~~no~~, a\\b, [no](link)',
  '- one_item\n- two & three',
  '| order_number | total |\n| - | - |\n| ERR_42 | 5 < 6 |',
])('%j keeps every character', async (text) => {
  expect(toReadableText(await readBack(text))).toBe(text);
});

test('blocks that are known to be headings become headings, and lines of signs do not', async () => {
  const document = await readBack('The title\n\nA part_1\n\nText\n---\nmore', [
    ['The title', 0],
    ['A part_1', 1],
  ]);
  expect(document.texts.map(({ label, text }) => [label, text]).slice(0, 2)).toEqual([
    ['title', 'The title'],
    ['section_header', 'A part_1'],
  ]);
  expect(document.texts.filter(({ label }) => label === 'section_header')).toHaveLength(1);
});
