import { withoutTableMarks } from './passage';

test('rows of a table are read as cells with dots between them, found words included', () => {
  const passage = '| Service | Price |\n| - | :-: |\n| <em>Calibration</em> on site | 2150 |\n|  | 12';
  expect(withoutTableMarks(passage)).toBe('Service · Price · <em>Calibration</em> on site · 2150 · 12');
});

test('a text with a single bar is left as it is', () => {
  expect(withoutTableMarks('either | or')).toBe('either | or');
  expect(withoutTableMarks('no table - only - dashes')).toBe('no table - only - dashes');
});
