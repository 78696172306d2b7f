import { wantedFormats } from './formats';
import { inputFormats } from './input-formats';

const eight = ['docx', 'pptx', 'html', 'image', 'pdf', 'asciidoc', 'md', 'xlsx'] as const;

test('the default list of a client that knows fewer formats stands for all', () => {
  expect(wantedFormats(undefined)).toEqual(inputFormats);
  expect(wantedFormats([...eight])).toEqual(inputFormats);
  expect(wantedFormats([...eight, 'csv', 'xml_jats', 'audio'])).toEqual(inputFormats);
});

test('a list that leaves one of them out is taken as it stands', () => {
  expect(wantedFormats(['pdf'])).toEqual(['pdf']);
  expect(wantedFormats([])).toEqual([]);
  expect(wantedFormats(eight.slice(1))).toEqual(eight.slice(1));
});
