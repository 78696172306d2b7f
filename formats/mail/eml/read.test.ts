import { convertBytes } from '../../convert';

const convert = (text: string, name = 'mail.eml') =>
  convertBytes({ bytes: Buffer.from(text.replaceAll('\n', '\r\n')), name });
const head =
  'From: "Doe, Jane" <jane@a.example>\nTo: team@a.example, =?utf-8?q?J=C3=BCrgen?= <j@a.example>\nCc: Boss <boss@a.example>\n' +
  'Subject: =?utf-8?q?Caf=C3=A9?=\n opens\nDate: Wed, 20 May 2026 12:30:00 +0200\nMIME-Version: 1.0\n';

test('subject, addresses, date and paragraphs of the text are read; carbon copies and attachments are in meta', async () => {
  const { document, format } = await convert(
    `${head}Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/alternative; boundary=c\n\n` +
      '--c\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nHello,\n\n \nfirst=E4\nline\n\n' +
      '--c\nContent-Type: text/html\n\n<p>not read</p>\n--c--\n' +
      '--b\nContent-Type: text/csv; name=a.csv\nContent-Disposition: attachment; filename=a.csv\n\nx;y\n--b--\n',
  );
  expect(format).toBe('eml');
  expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
    ['title', 'Café opens'],
    ['text', 'From: "Doe, Jane" <jane@a.example>'],
    ['text', 'To: team@a.example, Jürgen <j@a.example>'],
    ['text', 'Cc: Boss <boss@a.example>'],
    ['text', 'Date: 2026-05-20T10:30:00+00:00'],
    ['text', 'Hello,'],
    ['text', 'firstä\nline'],
  ]);
  expect(document.body.meta).toEqual({
    docloom__mail: {
      cc: 'Boss <boss@a.example>',
      attachments: [{ name: 'a.csv', mediaType: 'text/csv', sizeBytes: expect.any(Number) }],
    },
  });
});

test('blind copies of a sent message are shown after the copies', async () => {
  const { document } = await convert(
    'From: a@a.example\nCc: c@a.example\nBcc: b@a.example, D <d@a.example>\nSubject: x\n\nHi\n',
  );
  expect(document.texts.map(({ text }) => text)).toEqual([
    'x',
    'From: a@a.example',
    'Cc: c@a.example',
    'Bcc: b@a.example, D <d@a.example>',
    'Hi',
  ]);
});

test('a message with only HTML keeps its structure', async () => {
  const { document } = await convert(
    `${head}Content-Type: text/html\n\n<html><head><title>Mailer</title></head><body><p>Hi</p><ul><li>one</li></ul></body></html>\n`,
  );
  expect(document.texts.slice(5).map(({ label, text }) => [label, text])).toEqual([
    ['text', 'Hi'],
    ['list_item', 'one'],
  ]);
});

test('a message is recognized by its fields; text without fields is rejected even if it is named like a message', async () => {
  expect((await convert(`${head}\nHi\n`, 'mail.txt')).format).toBe('eml');
  expect((await convert('From: here\nTo: there\n\nA poem.', 'poem.txt')).format).toBe('text');
  await expect(convert('\n\n', 'mail.eml')).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
});

test('a forwarded message comes after the one that forwards it', async () => {
  const { document } = await convert(
    `${head}Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nSee below.\n\n--b\nContent-Type: message/rfc822\n\n` +
      'From: a@b.example\nSubject: Inner\n\nInner text.\n\n--b--\n',
  );
  expect(document.texts.slice(5).map(({ label, text }) => [label, text])).toEqual([
    ['text', 'See below.'],
    ['section_header', 'Inner'],
    ['text', 'From: a@b.example'],
    ['text', 'Inner text.'],
  ]);
});

test('attachments are counted in every forwarded message; a forwarded message itself is not counted, as it is read', async () => {
  const forward = (body: string, boundary: string, inner: string) =>
    `Content-Type: multipart/mixed; boundary=${boundary}\n\n--${boundary}\nContent-Type: text/plain\n\n${body}\n\n` +
    `--${boundary}\nContent-Type: text/csv\nContent-Disposition: attachment; filename=${boundary}.csv\n\nx\n${inner}--${boundary}--\n`;
  const nested = (inner: string, boundary: string) => `--${boundary}\nContent-Type: message/rfc822\n\n${inner}`;
  const innermost = `From: c@c.example\nSubject: Third\n${forward('three', 'third', '')}`;
  const second = `From: b@b.example\nSubject: Second\n${forward('two', 'second', nested(innermost, 'second'))}`;
  const { coverage } = await convert(`${head}${forward('one', 'first', nested(second, 'first'))}`);
  expect(coverage.map(({ kind, count }) => [kind, count])).toEqual([['attachment', 3]]);
});

test('windows-1252 characters missing from Latin-1 are decoded', async () => {
  const { document } = await convert(
    `${head}Content-Type: text/plain; charset=windows-1252\nContent-Transfer-Encoding: quoted-printable\n\n=80 5 =96 =93it=94\n`,
  );
  expect(document.texts.at(-1)!.text).toBe('€ 5 – “it”');
});
