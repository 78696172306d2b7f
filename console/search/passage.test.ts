import { omitTableMarks, takeEnd, takeStart } from './passage';

test('table rows are shown as cells separated by dots, including matches', () => {
  const passage = '| Service | Price |\n| - | :-: |\n| <em>Calibration</em> on site | 2150 |\n|  | 12';
  expect(omitTableMarks(passage)).toBe('Service · Price · <em>Calibration</em> on site · 2150 · 12');
});

test('a text with a single bar is unchanged', () => {
  expect(omitTableMarks('either | or')).toBe('either | or');
  expect(omitTableMarks('no table - only - dashes')).toBe('no table - only - dashes');
});

test('marks of bold text are removed in pairs', () => {
  expect(omitTableMarks('**Invoice <em>number</em>:** BW-1, 2 ** 3')).toBe('Invoice <em>number</em>: BW-1, 2 ** 3');
});

test('a long text is cut between words where it has some, and says that it was cut', () => {
  expect([takeStart('tide gauge', 10), takeEnd('tide gauge', 10)]).toEqual(['tide gauge', 'tide gauge']);
  expect(takeStart('The gauge of Hull was zeroed.', 18)).toBe('The gauge of Hull …');
  expect(takeEnd('The gauge of Hull was zeroed.', 14)).toBe('… was zeroed.');
  expect(takeStart('潮位観測所の記録', 4)).toBe('潮位観測 …');
  expect(takeEnd('潮位観測所の記録', 4)).toBe('… 所の記録');
  expect(takeStart('ab😀cd', 3)).toBe('ab …');
  expect(takeEnd('ab😀cd', 3)).toBe('… cd');
});
