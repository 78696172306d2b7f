import type { Font } from '../geometry/page';
import type { Line } from '../text/line';
import { beginsArticle, findIdeographicMarks } from './ideographic-marks';

const font: Font = { name: 'Gothic', bold: false, italic: false, mono: false };

/** Lines of a column of 400 points, one below the other; `right` is where they end. */
function column(texts: readonly string[], right: (text: string) => number = () => 300): Line[] {
  return texts.map((text, index): Line => {
    const baseline = 700 - 16 * index;
    const box = { l: 72, r: right(text), b: baseline - 2, t: baseline + 9 };
    const words = text.split(/\s/).map((word) => ({ text: word, box, size: 11, font, raised: false }));
    const style = { bold: false, italic: false, mono: false, family: 'gothic', isAside: false, order: index };
    return { text, words, box, baseline, size: 11, ...style };
  });
}

const marksOf = (lines: readonly Line[]) => [...findIdeographicMarks(lines).values()].map(({ marker }) => marker);

test.each([
  [['（1）利用者が届け出た場合', '（2）利用者が違反した場合']],
  [['（一）企业', '（二）事业单位']],
  [['① 基本料金', '② 追加料金']],
  [['九、附则', '十、解释', '十一、施行']],
  [['１、本办法', '２、本办法']],
  [['（ア）会社', '（イ）個人']],
  [['ア 表紙', 'イ 会社概要']],
  [['（1）WEB 版を運営する', '（2）農業に詳しい']],
  [['（1）はじめに', '（2）調査の方法', '（3）おわりに']],
  [['・にんじん', '・とうふ', '・玉ねぎ', '・もやし']],
  [['① Open the gate', '② Close it']],
  [['① 基本料金', '② 2026年の料金']],
])('%j are items', (texts) => {
  expect(marksOf(column(texts))).toEqual(texts.map((text) => /^.*?[）、]|^./u.exec(text)![0]));
});

test.each([
  ['a number alone', ['（1）利用者が届け出た場合', '料金を支払う']],
  ['numbers that do not follow each other', ['（1）利用者が届け出た場合', '（4）料金を支払う']],
  ['numbers that are mentioned', ['（1）の場合', '（2）と同じ']],
  ['numbers with other particles', ['（1）から（3）までの規定', '（2）または（3）の規定', '（3）においては']],
  ['amounts in brackets', ['(12) 45', '(13) 50']],
  ['an enumeration in a sentence', ['一、二、三', '二、三、四']],
  ['Latin words', ['（1）kernel', '（2）driver']],
  ['words that begin with the letter', ['アジア', 'イタリア']],
])('%s: no items', (_name, texts) => {
  expect(marksOf(column(texts))).toEqual([]);
});

test('a number below a full line within a sentence is part of the sentence', () => {
  const lines = column(
    ['届け出た場合は', '（1）利用者が虚偽の事項を届け出た場合', '（2）利用者が違反した場合'],
    (text) => (text === '届け出た場合は' ? 470 : 300),
  );
  expect(marksOf(lines)).toEqual(['（2）']);
});

test('dots that touch their items are bullets, and one within a name is none', () => {
  expect(marksOf(column(['・見積書は押印とする', '・発表時間は二十分']))).toEqual(['・', '・']);
  expect(marksOf(column(['・見積書は押印とする', '発表時間は二十分']))).toEqual([]);
  const name = column(['・見積書は押印とする', '著者はジャン', '・ポール氏である'], (text) =>
    text === '著者はジャン' ? 470 : 300,
  );
  expect(marksOf(name)).toEqual(['・']);
});

test('bold numbered lines are headings, not items', () => {
  const lines = column(['一、总则', '二、考勤']).map((line) => ({ ...line, bold: true }));
  expect(marksOf(lines)).toEqual([]);
});

test('an article of a law begins with its number and white space or a bracket', () => {
  const texts = ['第一条 为了', '第2条（料金）', '第三条の規定により', '第十二章'];
  const above = column(['この法律は、安全を確保する。'])[0]!;
  expect(column(texts).map((line) => beginsArticle(line, above, true))).toEqual([true, true, false, true]);
});

test('an article that the sentence above mentions begins none', () => {
  const [above, line] = column([
    '申請の内容が次の各号のいずれかに該当するときは',
    '第五条（定義）第一項の規定により',
  ]) as [Line, Line];
  expect([true, false].map((isFull) => beginsArticle(line, above, isFull))).toEqual([false, true]);
  const heading = { ...above, text: '第一章 总则', box: { ...above.box, r: 140 } };
  expect(beginsArticle(line, heading, true)).toBe(true);
});
