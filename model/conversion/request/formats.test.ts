import { wantedFormats } from './formats';
import { inputFormats } from './input-formats';

const eight = ['docx', 'pptx', 'html', 'image', 'pdf', 'asciidoc', 'md', 'xlsx'] as const;

test('the default list of a client that knows fewer formats means all formats', () => {
  expect(wantedFormats(undefined)).toEqual(inputFormats);
  expect(wantedFormats([...eight])).toEqual(inputFormats);
  expect(wantedFormats([...eight, 'csv', 'xml_jats', 'audio'])).toEqual(inputFormats);
});

test('a list without one of them is used unchanged', () => {
  expect(wantedFormats(['pdf'])).toEqual(['pdf']);
  expect(wantedFormats([])).toEqual([]);
  expect(wantedFormats(eight.slice(1))).toEqual(eight.slice(1));
});
