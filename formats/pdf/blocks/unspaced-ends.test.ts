import type { Font } from '../geometry/page';
import type { Line } from '../text/line';
import { createUnspacedEnds } from './unspaced-ends';

const font: Font = { name: 'Gothic', bold: false, italic: false, mono: false };

function line(text: string, right: number, left = 72, baseline = 100): Line {
  const box = { l: left, r: right, b: baseline - 2, t: baseline + 9 };
  const words = [{ text, box, size: 11, font, raised: false }];
  const style = { bold: false, italic: false, mono: false, family: 'gothic', isAside: false, order: 0 };
  return { text, words, box, baseline, size: 11, ...style };
}

const ends = (block: readonly Line[], next: Line) => createUnspacedEnds([...block, next])(block, next, 400);

test('a line with room for more characters ends its paragraph', () => {
  expect(ends([line('二、考勤', 120)], line('员工应当按时上班', 400))).toBe(true);
  expect(ends([line('本办法适用', 400), line('于员工。', 120)], line('二、考勤', 120))).toBe(true);
  expect(ends([line('考勤', 120)], line('「员工应当按时上班', 400))).toBe(true);
});

test.each([
  ['a full line', [line('本办法适用于全体', 380)], line('员工', 100)],
  ['the second line of a paragraph within its sentence', [line('本办法适', 400), line('用于', 120)], line('全体', 100)],
  ['a line of Latin words', [line('Article one', 120)], line('员工应当', 400)],
  ['a centred line', [line('安全管理', 250, 200)], line('条例', 240, 210)],
  [
    'a line above a long Latin word in brackets',
    [line('我们使用容器编排平台', 300)],
    line('（Kubernetes）来部署', 400),
  ],
])('%s goes on', (_name, block, next) => {
  expect(ends(block, next)).toBe(false);
});

/** Lines one below the other that end at about 270 points, before the column does. */
const stack = (texts: readonly string[]) => texts.map((text, index) => line(text, 270 + index, 72, 700 - 17 * index));

test('text beside a figure goes on, also after a full stop at its edge', () => {
  const lines = stack(['他打开窗户望着远处的山和河流', '心里想着昨天发生的那些事情。', '不知道应该怎样向朋友解释这一']);
  const endsLine = createUnspacedEnds(lines);
  expect([0, 1].map((index) => endsLine([lines[index]!], lines[index + 1]!, 400))).toEqual([false, false]);
});

test.each([
  ['verses', stack(['白日依山尽，黄河入海流。', '欲穷千里目，更上一层楼。', '床前明月光，疑是地上霜。'])],
  ['two titles of one length', stack(['关于加强安全生产工作的通知', '关于加强消防安全工作的通知'])],
  ['short entries', stack(['张三', '李四', '王五']).map((short) => ({ ...short, box: { ...short.box, r: 94 } }))],
])('%s stay apart', (_name, lines) => {
  expect(createUnspacedEnds(lines)([lines[0]!], lines[1]!, 400)).toBe(true);
});
