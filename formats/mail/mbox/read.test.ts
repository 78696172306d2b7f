import { convertBytes } from '../../convert';

const convert = (text: string, name: string, maxEntries?: number) =>
  convertBytes({ bytes: Buffer.from(text), name, ...(maxEntries === undefined ? {} : { limits: { maxEntries } }) });
const first =
  'From a@b.example Mon Jun 01 10:00:00 2009\nSubject: One\nFrom: a@b.example\n\nHello\n\n>From here on\nFrom within\n';
const second = '\nFrom c@b.example Mon Jun 01 11:00:00 2010\n\nNo fields at all\n';

test('messages are in order, with quoted lines unquoted', async () => {
  const { document, format } = await convert(first + second, 'Inbox');
  expect(format).toBe('mbox');
  expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
    ['section_header', 'One'],
    ['text', 'From: a@b.example'],
    ['text', 'Hello'],
    ['text', 'From here on\nFrom within'],
    ['section_header', '(no subject)'],
    ['text', 'No fields at all'],
  ]);
});

test('other texts, and more messages than allowed, are rejected', async () => {
  await expect(convert('Dear all,\n\nFrom now on', 'a.mbox')).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
  await expect(convert(first + second, 'a.mbox', 1)).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE' });
});
