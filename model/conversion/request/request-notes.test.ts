import { noteMisplacedOptions, noteMissingOutputs, noteUnknownNames, listUnknownOptions } from './request-notes';

test('unknown options are reported', () => {
  expect(noteUnknownNames(listUnknownOptions(['do_orc', 'do_ocr']), 'option')).toEqual([
    'The option do_orc is unknown and was ignored.',
  ]);
  expect(noteUnknownNames(listUnknownOptions(['do_ocr', 'to_formats']), 'option')).toEqual([]);
});

test('only the first of many names are reported, and names that a header cannot contain are only counted', () => {
  const names = ['a', 'b"\r\nX: y', 'c', 'd', 'e', 'f', 'g', 'é'];
  expect(noteUnknownNames(names, 'field')).toEqual(['The fields a, c, d, e, f, 3 more are unknown and were ignored.']);
});

test('options next to `options` are reported with their correct place', () => {
  expect(noteMisplacedOptions({ sources: [], to_formats: ['html'], target: {} }, 'options')).toEqual([
    'The option to_formats had no effect: options are in options.',
  ]);
});

test('formats without a result are reported, by their target', () => {
  expect(noteMissingOutputs(['md', 'chunks', 'dclx'], 'inbody')).toEqual([
    'The output format chunks cannot be returned in the body; request the target zip.',
    'The output format dclx cannot be returned in the body; request the target zip.',
  ]);
  expect(noteMissingOutputs(['md', 'chunks'], 'zip')).toEqual([]);
});
