import { omitTableMarks } from './passage';

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
