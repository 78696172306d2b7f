import type { Font } from '../geometry/page';
import type { Line } from '../text/line';
import { endsUnspaced } from './unspaced-ends';

const font: Font = { name: 'Gothic', bold: false, italic: false, mono: false };

function line(text: string, right: number, left = 72): Line {
  const box = { l: left, r: right, b: 98, t: 109 };
  const words = [{ text, box, size: 11, font, raised: false }];
  const style = { bold: false, italic: false, mono: false, family: 'gothic', isAside: false, order: 0 };
  return { text, words, box, baseline: 100, size: 11, ...style };
}

test('a line with room for more characters ends its paragraph', () => {
  expect(endsUnspaced([line('二、考勤', 120)], line('员工应当按时上班', 400), 400)).toBe(true);
  expect(endsUnspaced([line('本办法适用', 400), line('于员工。', 120)], line('二、考勤', 120), 400)).toBe(true);
});

test.each([
  ['a full line', [line('本办法适用于全体', 380)], line('员工', 100)],
  ['the second line of a paragraph within its sentence', [line('本办法适', 400), line('用于', 120)], line('全体', 100)],
  ['a line of Latin words', [line('Article one', 120)], line('员工应当', 400)],
  ['a centred line', [line('安全管理', 250, 200)], line('条例', 240, 210)],
])('%s goes on', (_name, block, next) => {
  expect(endsUnspaced(block, next, 400)).toBe(false);
});
