import { convertBytes } from '../convert';
import { pngHeader } from '../ooxml/test-support';

const part = (fields: string, body: string) => `--b\r\n${fields}\r\n\r\n${body}\r\n`;
const saved = (
  parts: string,
  head = 'From: <Saved by Blink>\r\nSnapshot-Content-Location: https://a.example/x/page.html',
) =>
  Buffer.from(
    `${head}\r\nSubject: Page\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\tboundary="b"\r\n\r\n${parts}--b--\r\n`,
    'latin1',
  );
const page = (html: string, location = 'https://a.example/x/page.html') =>
  part(
    `Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Location: ${location}`,
    html,
  );

test('the page has its pictures, and its frames in place; pages that no frame shows are counted', async () => {
  const bytes = saved(
    page(
      '<html><body><h1>Gr=C3=BC=C3=9Fe</h1><p>be=\r\nfore</p><iframe src=3D"cid:f1@x"></iframe><p>after</p>' +
        '<img src=3D"img/a.png" alt=3D"plan"></body></html>',
    ) +
      part(
        'Content-Type: text/html\r\nContent-ID: <f1@x>',
        '<html><body><p>framed</p><iframe src="cid:f1@x"></iframe></body></html>',
      ) +
      part(
        'Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\nContent-Location: https://a.example/x/img/a.png',
        Buffer.from(pngHeader(3, 2)).toString('base64'),
      ) +
      page('<p>an advertisement</p>', 'https://ads.example/'),
  );
  const { document, format, coverage } = await convertBytes({ bytes, name: 'page.eml' });
  expect(format).toBe('mhtml');
  expect(document.texts.map(({ text }) => text)).toEqual(['Grüße', 'before', 'framed', 'after', 'plan']);
  expect(document.pictures[0]!.image).toMatchObject({ mimetype: 'image/png', size: { width: 3, height: 2 } });
  expect(coverage).toEqual([{ kind: 'further page', count: 1, words: 2, in_json: false }]);
});

test('an exported page is recognized by its content, whatever its name; a message stays a message', async () => {
  const exported = saved(page('<p>exported</p>'), 'Date: Sat, 18 Oct 2025 11:48:31 +0000');
  expect((await convertBytes({ bytes: exported, name: 'wiki.doc' })).format).toBe('mhtml');
  const message = saved(
    page('<p>news</p>'),
    'From: a@b.example\r\nTo: c@b.example\r\nDate: Sat, 18 Oct 2025 11:48:31 +0000',
  );
  expect((await convertBytes({ bytes: message, name: 'mail' })).format).toBe('eml');
});

test('archives without a page are damaged, endlessly nested parts are rejected', async () => {
  const empty = saved(part('Content-Type: image/png', 'x'));
  await expect(convertBytes({ bytes: empty, name: 'a.mht' })).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
  const nested = Array.from({ length: 600 }, (_, at) => `Content-Type: multipart/mixed; boundary=n${at}\n\n--n${at}\n`);
  const deep = Buffer.from(nested.join(''));
  await expect(convertBytes({ bytes: deep, name: 'a.mht' })).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE' });
});
