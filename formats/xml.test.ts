import { child, descendants, elements, parseXml, scanXml, textOf } from './xml';

const options = { source: 'test.xml', maxDepth: 50 };

test('namespaces are resolved to the prefixes of the reader, whatever the document calls them', () => {
  const prefixes = { 'urn:a': 'a', 'urn:b': 'b' };
  const root = parseXml('<x:r xmlns:x="urn:a"><i xmlns="urn:b" x:k="1" k="2"/><x:i/><o/></x:r>', {
    ...options,
    prefixes,
  });
  expect(root.name).toBe('a:r');
  expect(elements(root).map(({ name }) => name)).toEqual(['b:i', 'a:i', 'o']);
  expect(elements(root)[0]!.attributes).toEqual({ 'a:k': '1', k: '2' });
});

test('a declaration ends with its element', () => {
  const prefixes = { 'urn:a': 'a', 'urn:b': 'b' };
  const root = parseXml('<p:r xmlns:p="urn:a"><p:x xmlns:p="urn:b"><p:y/></p:x><p:z/></p:r>', { ...options, prefixes });
  expect(descendants(root, 'b:y')).toHaveLength(1);
  expect(elements(root).map(({ name }) => name)).toEqual(['b:x', 'a:z']);
});

test('text keeps its whitespace and the predefined entities are resolved', () => {
  expect(textOf(parseXml('<r> a &amp; <b>&#65;</b><![CDATA[<c>]]></r>', options))).toBe(' a & A<c>');
});

test('UTF-16 and a declared encoding are honoured', () => {
  const utf16 = Buffer.from('\ufeff<r>é</r>', 'utf16le');
  expect(textOf(parseXml(utf16, options))).toBe('é');
  const latin = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><r>é</r>', 'latin1');
  expect(textOf(parseXml(latin, options))).toBe('é');
});

test('a character that lies over the border of two chunks is whole', () => {
  const text = `${'x'.repeat(65_530)}äöü€😀`.repeat(3);
  expect(textOf(parseXml(Buffer.from(`<r>${text}</r>`), options))).toBe(text);
});

test.each([
  ['a document that declares entities', '<!DOCTYPE r [<!ENTITY x "y">]><r>&x;</r>', 'DOCUMENT_CORRUPT'],
  ['an external entity', '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>', 'DOCUMENT_CORRUPT'],
  ['an unknown entity', '<r>&x;</r>', 'DOCUMENT_CORRUPT'],
  ['an element that is not closed', '<r><a></r>', 'DOCUMENT_CORRUPT'],
  ['a document that is cut off', '<r><a>text', 'DOCUMENT_CORRUPT'],
  ['an empty document', '', 'DOCUMENT_CORRUPT'],
  ['nesting beyond the bound', '<a>'.repeat(51) + '</a>'.repeat(51), 'DOCUMENT_TOO_LARGE'],
])('%s is refused', (_, source, code) => {
  expect(() => parseXml(source, options)).toThrow(expect.objectContaining({ code }));
});

test('more elements than allowed are refused', () => {
  const source = `<r>${'<a/>'.repeat(20)}</r>`;
  expect(() => parseXml(source, { ...options, maxElements: 20 })).toThrow(
    expect.objectContaining({ code: 'DOCUMENT_TOO_LARGE' }),
  );
  expect(elements(parseXml(source, { ...options, maxElements: 21 }))).toHaveLength(20);
});

test('skipped elements leave their neighbours in place', () => {
  const root = parseXml('<r>1<s>2<t/></s>3<u/></r>', { ...options, skip: new Set(['s']) });
  expect(textOf(root)).toBe('13');
  expect(child(root, 'u')).toBeDefined();
});

test('a scan reports in document order', () => {
  const seen: string[] = [];
  scanXml(
    '<r a="1"><b>t</b></r>',
    {
      open: (name, attributes) => seen.push(`<${name}${attributes['a'] ?? ''}`),
      text: (text) => seen.push(text),
      close: (name) => seen.push(`>${name}`),
    },
    options,
  );
  expect(seen).toEqual(['<r1', '<b', 't', '>b', '>r']);
});
