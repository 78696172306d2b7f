import { findChild, listDescendants, listElements, parseXml, scanXml, joinText } from './xml';

const options = { source: 'test.xml', maxDepth: 50 };

test("namespaces are resolved to the prefixes of the reader, whatever the document's prefixes", () => {
  const prefixes = { 'urn:a': 'a', 'urn:b': 'b' };
  const root = parseXml('<x:r xmlns:x="urn:a"><i xmlns="urn:b" x:k="1" k="2"/><x:i/><o/></x:r>', {
    ...options,
    prefixes,
  });
  expect(root.name).toBe('a:r');
  expect(listElements(root).map(({ name }) => name)).toEqual(['b:i', 'a:i', 'o']);
  expect(listElements(root)[0]!.attributes).toEqual({ 'a:k': '1', k: '2' });
});

test('a namespace declaration ends with its element', () => {
  const prefixes = { 'urn:a': 'a', 'urn:b': 'b' };
  const root = parseXml('<p:r xmlns:p="urn:a"><p:x xmlns:p="urn:b"><p:y/></p:x><p:z/></p:r>', { ...options, prefixes });
  expect(listDescendants(root, 'b:y')).toHaveLength(1);
  expect(listElements(root).map(({ name }) => name)).toEqual(['b:x', 'a:z']);
});

test('text keeps its whitespace, and the predefined entities are resolved', () => {
  expect(joinText(parseXml('<r> a &amp; <b>&#65;</b><![CDATA[<c>]]></r>', options))).toBe(' a & A<c>');
});

test('UTF-16 and a declared encoding are honoured', () => {
  const utf16 = Buffer.from('\ufeff<r>é</r>', 'utf16le');
  expect(joinText(parseXml(utf16, options))).toBe('é');
  const latin = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><r>é</r>', 'latin1');
  expect(joinText(parseXml(latin, options))).toBe('é');
});

test('a character split between two chunks is read whole', () => {
  const text = `${'x'.repeat(65_530)}äöü€😀`.repeat(3);
  expect(joinText(parseXml(Buffer.from(`<r>${text}</r>`), options))).toBe(text);
});

test.each([
  ['a document that declares entities', '<!DOCTYPE r [<!ENTITY x "y">]><r>&x;</r>', 'DOCUMENT_CORRUPT'],
  ['an external entity', '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>', 'DOCUMENT_CORRUPT'],
  ['an unknown entity', '<r>&x;</r>', 'DOCUMENT_CORRUPT'],
  ['an element that is not closed', '<r><a></r>', 'DOCUMENT_CORRUPT'],
  ['a document that is cut off', '<r><a>text', 'DOCUMENT_CORRUPT'],
  ['an empty document', '', 'DOCUMENT_CORRUPT'],
  ['nesting beyond the bound', '<a>'.repeat(51) + '</a>'.repeat(51), 'DOCUMENT_TOO_LARGE'],
])('%s is rejected', (_, source, code) => {
  expect(() => parseXml(source, options)).toThrow(expect.objectContaining({ code }));
});

test('too many elements are rejected', () => {
  const source = `<r>${'<a/>'.repeat(20)}</r>`;
  expect(() => parseXml(source, { ...options, maxElements: 20 })).toThrow(
    expect.objectContaining({ code: 'DOCUMENT_TOO_LARGE' }),
  );
  expect(listElements(parseXml(source, { ...options, maxElements: 21 }))).toHaveLength(20);
});

test('skipped elements leave their siblings in place', () => {
  const root = parseXml('<r>1<s>2<t/></s>3<u/></r>', { ...options, skip: new Map([['s', true]]) });
  expect(joinText(root)).toBe('13');
  expect(findChild(root, 'u')).toBeDefined();
});

test('elements are skipped by their attributes, including nested elements of the same name and broken ones', () => {
  const skip = new Map([['s', (attributes: Readonly<Record<string, string>>) => attributes['k'] === '1']]);
  const root = parseXml('<r>1<s k="1">2<s k="1"/>3</s>4<s k="2">5</s><s k="1"/>6</r>', { ...options, skip });
  expect(joinText(root)).toBe('1456');
});

test('equal tags are equal elements only under the same namespaces', () => {
  const prefixes = { 'urn:a': 'a', 'urn:b': 'b' };
  const source = '<p:r xmlns:p="urn:a"><p:x p:k="1"/><o xmlns:p="urn:b"><p:x p:k="1"/></o><p:x p:k="1"/></p:r>';
  const found: string[] = [];
  scanXml(
    source,
    { open: (name, attributes) => found.push(`${name} ${Object.keys(attributes).join()}`) },
    { ...options, prefixes },
  );
  expect(found).toEqual(['a:r ', 'a:x a:k', 'o ', 'b:x b:k', 'a:x a:k']);
});

test.each([
  ['attributes without blanks, in single quotes, with a >', `<r a='1 > 0'><b c="&lt;&#x41;"/></r>`, ['1 > 0', '<A']],
  ['line ends in values', '<r a="1\r\n2"><b c="3\t4"/></r>', ['1 2', '3 4']],
])('%s are read', (_, source, values) => {
  const root = parseXml(source, options);
  expect([root.attributes['a'], listElements(root)[0]!.attributes['c']]).toEqual(values);
});

test.each([
  ['two roots', '<r/><r/>'],
  ['text after the root', '<r/>text'],
  ['an end tag of another name', '<r><a></ab></r>'],
  ['an attribute without quotes', '<r a=1/>'],
  ['an attribute twice', '<r a="1" a="2"/>'],
  ['a comment without end', '<r><!-- </r>'],
  ['a reference without end', '<r>a & b</r>'],
  ['a tag without end', '<r a="1"'],
])('%s is rejected as malformed', (_, source) => {
  expect(() => parseXml(source, options)).toThrow(expect.objectContaining({ code: 'DOCUMENT_CORRUPT' }));
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
