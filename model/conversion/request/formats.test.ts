import { readFormats } from './formats';
import { inputFormats } from './input-formats';

const eight = ['docx', 'pptx', 'html', 'image', 'pdf', 'asciidoc', 'md', 'xlsx'] as const;

test('the default list of a client that knows fewer formats means all formats', () => {
  expect(readFormats(undefined)).toEqual(inputFormats);
  expect(readFormats([...eight])).toEqual(inputFormats);
  expect(readFormats([...eight, 'csv', 'xml_jats', 'audio'])).toEqual(inputFormats);
});

test('a list without one of them is used unchanged', () => {
  expect(readFormats(['pdf'])).toEqual(['pdf']);
  expect(readFormats([])).toEqual([]);
  expect(readFormats(eight.slice(1))).toEqual(eight.slice(1));
});
