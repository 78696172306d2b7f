import { strToU8, zipSync } from 'fflate';
import { toMarkdown } from '../../document/write/markdown';
import { convertBytes } from '../convert';

const container =
  '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book/content.opf"/></rootfiles></container>';
const page = (body: string) =>
  `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js"/></head><body>${body}</body></html>`;
const opf = (items: string, spine: string) =>
  `<package xmlns="http://www.idpf.org/2007/opf"><manifest>${items}</manifest><spine>${spine}</spine></package>`;
const twoPages = opf(
  '<item id="b" href="text/second%20page.xhtml" media-type="application/xhtml+xml"/>' +
    '<item id="a" href="text/first.xhtml" media-type="application/xhtml+xml"/><item id="c" href="c.svg" media-type="image/svg+xml"/>',
  '<itemref idref="a"/><itemref idref="c"/><itemref idref="b"/><itemref idref="gone"/>',
);

function book(parts: Record<string, string>): Uint8Array {
  const entries = Object.entries({ 'META-INF/container.xml': container, ...parts });
  return zipSync({
    mimetype: [strToU8('application/epub+zip'), { level: 0 }],
    ...Object.fromEntries(entries.map(([name, text]) => [name, strToU8(text)])),
  });
}
const convert = (bytes: Uint8Array, name = 'book.epub', limits = {}) => convertBytes({ bytes, name, limits });

test('the pages of the spine are one text in spine order; self-closing elements do not swallow the content after them', async () => {
  const bytes = book({
    'book/content.opf': twoPages,
    'book/text/first.xhtml': page('<h1>Book</h1><p>One <a id="x"/>two</p><div/><p>three</p>'),
    'book/text/second page.xhtml': page(
      '<h2>Part</h2><p><a href="first.xhtml#x">back</a> <a href="https://a.example/b.html#c">out</a></p>',
    ),
  });
  const { document, format } = await convert(bytes);
  expect(format).toBe('epub');
  expect(toMarkdown(document)).toBe(
    '# Book\n\nOne two\n\nthree\n\n## Part\n\n[back](#x) [out](https://a.example/b.html#c)',
  );
  // Sections span several files.
  const part = document.texts.find(({ text }) => text === 'Part');
  expect(part?.parent).toEqual({ $ref: document.texts[0]!.self_ref });
});

test('a book is recognized by its content under any name', async () => {
  const bytes = book({ 'book/content.opf': twoPages, 'book/text/first.xhtml': page('<p>a</p>') });
  expect((await convert(bytes, 'book.zip')).format).toBe('epub');
});

test('books without a package or pages, and protected or too long books are rejected', async () => {
  const getCode = (parts: Record<string, string>, limits = {}) =>
    convert(book(parts), 'book.epub', limits).then(
      () => 'read',
      (error: { code: string }) => error.code,
    );
  const encryption =
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#">' +
    '<CipherData><CipherReference URI="book/text/first.xhtml"/></CipherData></EncryptedData></encryption>';
  const first = { 'book/content.opf': twoPages, 'book/text/first.xhtml': page('<p>a</p>') };
  expect(await getCode({})).toBe('DOCUMENT_CORRUPT');
  expect(await getCode({ 'book/content.opf': twoPages })).toBe('DOCUMENT_CORRUPT');
  expect(await getCode({ ...first, 'META-INF/encryption.xml': encryption })).toBe('DOCUMENT_ENCRYPTED');
  expect(await getCode({ ...first, 'META-INF/encryption.xml': encryption.replace('first', 'font') })).toBe('read');
  expect(await getCode(first, { maxPages: 1 })).toBe('DOCUMENT_TOO_LARGE');
});
