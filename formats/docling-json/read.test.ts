import { createDocument } from '../../document/builder';
import { documentToJson } from '../../document/json/write';
import { convertBytes } from '../convert';

const documentJson = () => {
  const builder = createDocument('inside', {
    mimetype: 'text/html',
    binary_hash: 17_446_744_073_709_551_615n,
    filename: 'a.html',
  });
  const list = builder.group('list');
  builder.listItem('one', { parent: list });
  builder.page(1, 100, 200);
  builder.page(2, 100, 200);
  return documentToJson(builder.document);
};

test('the JSON of a document is read unchanged, with its own name and this file as its origin', async () => {
  const { document, format, pages } = await convertBytes({ bytes: Buffer.from(documentJson()), name: 'outside.json' });
  expect({ format, pages, name: document.name }).toEqual({ format: 'docling', pages: 2, name: 'inside' });
  expect(document.origin).toMatchObject({ filename: 'outside.json', mimetype: 'application/json' });
  expect(document.texts).toMatchObject([{ label: 'list_item', text: 'one', parent: { $ref: '#/groups/0' } }]);
});

test('the JSON is recognized by its first member even in a file named like a text', async () => {
  const { format } = await convertBytes({ bytes: Buffer.from(documentJson()), name: 'outside.txt' });
  expect(format).toBe('docling');
});

test('a document without its members, an inconsistent tree and too many pages are rejected', async () => {
  const getCode = (text: string, limits = {}) =>
    convertBytes({ bytes: Buffer.from(text), name: 'a.json', limits }).then(
      () => 'read',
      (error: { code: string }) => error.code,
    );
  expect(await getCode('{"schema_name": "DoclingDocument", "version": 1}')).toBe('DOCUMENT_CORRUPT');
  expect(await getCode(documentJson().replace('"#/groups/0"}', '"#/groups/7"}'))).toBe('DOCUMENT_CORRUPT');
  expect(await getCode(documentJson(), { maxPages: 1 })).toBe('DOCUMENT_TOO_LARGE');
});
