import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { type Drawing, draw } from '../pdf/pdf-test-support';
import { defaultMemberLimits, type Member, membersOf, type MemberLimits } from './members';

const text = (value: string) => strToU8(value);
const zip = (files: Record<string, Uint8Array>) => zipSync(files, { level: 6 });

async function collect(
  name: string,
  bytes: Uint8Array,
  { embedded = false, limits }: { embedded?: boolean; limits?: Partial<MemberLimits> } = {},
): Promise<Member[]> {
  const members: Member[] = [];
  const options = { embedded, limits: { ...defaultMemberLimits, ...limits } };
  for await (const member of membersOf({ name, bytes }, options)) members.push(member);
  return members;
}
const told = (members: Member[]) =>
  members.map((member) =>
    'problem' in member ? [member.path, member.problem.code] : [member.path, Buffer.from(member.bytes).toString()],
  );

/** A TAR archive as specified by POSIX.1-1988. */
function tar(files: readonly (readonly [name: string, content: string, type?: string])[]): Buffer {
  const blocks = files.flatMap(([name, content, type = '0']) => {
    const header = Buffer.alloc(512);
    header.write(name, 0, 100);
    header.write('0000644\0', 100);
    header.write(`${Buffer.byteLength(content).toString(8).padStart(11, '0')}\0`, 124);
    header.write('        ', 148);
    header.write(type, 156);
    header.write('ustar\0', 257);
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512);
    body.write(content);
    return [header, body];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

test('files of a ZIP and of nested archives are listed in order with their paths', async () => {
  const inner = zip({ 'b.txt': text('B') });
  const members = await collect('a.zip', zip({ 'a.txt': text('A'), 'in/inner.zip': inner, 'z.txt': text('Z') }));
  expect(told(members)).toEqual([
    ['a.txt', 'A'],
    ['in/inner.zip/b.txt', 'B'],
    ['z.txt', 'Z'],
  ]);
});

test('files of a TAR are listed, compressed or not, with long names and without links and folders', async () => {
  const long = `${'folder/'.repeat(20)}end.txt`;
  const pax = ` path=${long}\n`;
  const record = `${pax.length + 3}${pax}`;
  const bytes = tar([
    ['docs/', '', '5'],
    ['docs/a.txt', 'A'],
    ['link.txt', '', '2'],
    ['././@LongLink', `${long}\0`, 'L'],
    ['cut', 'gnu'],
    ['pax', record, 'x'],
    ['cut', 'posix'],
  ]);
  const expected = [
    ['docs/a.txt', 'A'],
    [long, 'gnu'],
    [long.replace('end.txt', 'end-2.txt'), 'posix'],
  ];
  expect(told(await collect('a.tar', bytes))).toEqual(expected);
  expect(told(await collect('a.tgz', gzipSync(bytes)))).toEqual(expected);
  expect(told(await collect('table.csv.gz', gzipSync('a,b')))).toEqual([['table.csv', 'a,b']]);
});

test('attachments of a message and of attached messages are extracted; pictures in the text are omitted', async () => {
  const mail = [
    'From: a@example.org',
    'Subject: Files',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=X',
    '',
    '--X',
    'Content-Type: text/plain',
    '',
    'See below.',
    '--X',
    'Content-Type: text/csv; name="../prices.csv"',
    'Content-Disposition: attachment; filename="../prices.csv"',
    '',
    'a,b',
    '--X',
    'Content-Type: image/png; name="logo.png"',
    'Content-Disposition: inline; filename="logo.png"',
    'Content-Transfer-Encoding: base64',
    '',
    'iVBORw0KGgo=',
    '--X--',
    '',
  ].join('\r\n');
  const [file, ...others] = await collect('m.eml', text(mail), { embedded: true });
  expect(others).toEqual([]);
  expect(told([file!])).toEqual([['prices.csv', 'a,b\n']]);
  expect(told(await collect('mail.zip', zip({ 'm.eml': text(mail) })))).toHaveLength(1);
  const within = await collect('mail.zip', zip({ 'm.eml': text(mail) }), { embedded: true });
  expect(within.map(({ path }) => path)).toEqual(['m.eml', 'm.eml/prices.csv']);
});

test('documents embedded in an Office document are extracted, but not the workbooks behind its charts', async () => {
  const office = zip({
    '[Content_Types].xml': text('<Types/>'),
    'word/document.xml': text('<w/>'),
    'word/embeddings/Sheet1.xlsx': text('sheet'),
    'word/embeddings/Chart1.xlsx': text('chart'),
    'word/charts/_rels/chart1.xml.rels': text('<Relationship Target="../embeddings/Chart1.xlsx"/>'),
  });
  expect(told(await collect('a.docx', office, { embedded: true }))).toEqual([['Sheet1.xlsx', 'sheet']]);
  expect(await collect('a.docx', office)).toEqual([]);
});

test('files attached to a PDF and to its pages are extracted, and those of PDF files in archives only on request', async () => {
  type Pdf = Drawing & {
    file(bytes: Buffer, options: object): object;
    fileAnnotation(x: number, y: number, width: number, height: number, file: object): void;
  };
  const bytes = await draw((drawing) => {
    const pdf = drawing as Pdf;
    pdf.text('See the figures.');
    pdf.file(Buffer.from('a,b'), { name: 'figures.csv' });
    pdf.fileAnnotation(100, 100, 20, 20, { src: Buffer.from('on the page'), name: 'note.txt', hidden: true });
  });
  const attached = [
    ['figures.csv', 'a,b'],
    ['note.txt', 'on the page'],
  ];
  expect(told(await collect('a.pdf', bytes, { embedded: true }))).toEqual(attached);
  expect(await collect('a.pdf', bytes)).toEqual([]);
  const members = async (ofPdf: boolean) => {
    const paths: string[] = [];
    const archive = { name: 'a.zip', bytes: zip({ 'a.pdf': bytes }) };
    for await (const { path } of membersOf(archive, { embedded: true, ofPdf })) paths.push(path);
    return paths;
  };
  expect(await members(true)).toEqual(['a.pdf', 'a.pdf/figures.csv', 'a.pdf/note.txt']);
  expect(await members(false)).toEqual(['a.pdf']);
});

test('names never lead out of the folder; hidden files are omitted; equal names are numbered', async () => {
  const bytes = tar([
    ['/etc/passwd', '1'],
    ['../../up.txt', '2'],
    ['a/./b\\..\\c.txt', '3'],
    ['.ssh/key', '4'],
    ['__MACOSX/a', '5'],
    ['up.txt', '6'],
    ['UP.TXT', '7'],
    [`new\nline\u202e.txt`, '8'],
  ]);
  expect((await collect('a.tar', bytes)).map(({ path }) => path)).toEqual([
    'etc/passwd',
    'up.txt',
    'a/b/c.txt',
    'up-2.txt',
    'UP-3.TXT',
    'new_line_.txt',
  ]);
});

test('a large table is split into groups of rows on request', async () => {
  const line = (at: number) => `${at},"text; ${'x'.repeat(80)} ""${at}"""\n`;
  const lines = Array.from({ length: 140_000 }, (_, at) => line(at)).join('');
  const table = text(`id,what\n${lines}`);
  const members: Member[] = [];
  for await (const member of membersOf({ name: 'a/data.csv', bytes: table }, { embedded: false, tables: true }))
    members.push(member);
  const parts = members.map((member) =>
    'problem' in member ? member.problem.code : Buffer.from(member.bytes).toString(),
  );
  expect(members.length).toBeGreaterThan(10);
  expect(members[0]?.path).toMatch(/^data-rows-1-\d+\.csv$/);
  expect(parts.every((part) => part.startsWith('id,what\n'))).toBe(true);
  expect(parts.map((part) => part.slice('id,what\n'.length)).join('') === lines).toBe(true);
  expect(await collect('data.csv', table)).toEqual([]);
  const last = members.at(-1)!.path;
  const only = membersOf(
    { name: 'data.csv', bytes: table },
    { embedded: false, tables: true, wanted: new Set([last]) },
  );
  expect((await only.next()).value).toMatchObject({ path: last });
  expect((await only.next()).done).toBe(true);
  const inside = membersOf({ name: 'a.zip', bytes: zip({ 'data.csv': table }) }, { embedded: false, tables: true });
  expect((await inside.next()).value).toMatchObject({ path: `data.csv/${members[0]!.path}` });
});

describe('bombs', () => {
  const zeros = (megabytes: number) => new Uint8Array(megabytes * 1024 * 1024);

  test('an entry that expands without limit fails alone', async () => {
    const members = await collect('a.zip', zip({ 'bomb.txt': zeros(60), 'b.txt': text('B') }));
    expect(told(members)).toEqual([
      ['bomb.txt', 'DOCUMENT_TOO_LARGE'],
      ['b.txt', 'B'],
    ]);
  });
  test('a gzip that expands without limit is rejected', async () => {
    await expect(collect('a.gz', gzipSync(zeros(60)))).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE' });
  });
  test('the limit applies to all levels together', async () => {
    const inner = zip({ 'a.txt': zeros(1), 'b.txt': zeros(1) });
    const members = await collect('a.zip', zip({ '1.zip': inner, '2.zip': inner, 'c.txt': text('C') }), {
      limits: { maxExpandedBytes: 2.5 * 1024 * 1024 },
    });
    expect(members.map((member) => ('problem' in member ? member.problem.code : member.bytes.length))).toEqual([
      1024 * 1024,
      1024 * 1024,
      'DOCUMENT_TOO_LARGE',
      'DOCUMENT_TOO_LARGE',
      1,
    ]);
  });
  test('archives deeper than the limit and too many files are rejected', async () => {
    let bytes = zip({ 'a.txt': text('A') });
    for (let depth = 0; depth < 4; depth++) bytes = zip({ 'inner.zip': bytes });
    expect(told(await collect('a.zip', bytes))).toEqual([['inner.zip/inner.zip/inner.zip', 'DOCUMENT_TOO_LARGE']]);
    const many = tar(Array.from({ length: 12 }, (_, at) => [`${at}.txt`, 'x'] as const));
    await expect(collect('a.tar', many, { limits: { maxEntries: 10 } })).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_LARGE',
    });
  });
});

test('a damaged nested archive fails alone, a damaged outer archive is rejected', async () => {
  const members = await collect('a.zip', zip({ 'bad.zip': text('PK\u0003\u0004 no zip at all'), 'b.txt': text('B') }));
  expect(told(members)).toEqual([
    ['bad.zip', 'DOCUMENT_CORRUPT'],
    ['b.txt', 'B'],
  ]);
  await expect(collect('a.gz', Buffer.from('1f8b0800ffff', 'hex'))).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
  const cut = tar([
    ['a.txt', 'A'],
    ['b.txt', 'x'.repeat(2000)],
  ]).subarray(0, 512 * 3 + 700);
  expect(told(await collect('a.tar', cut))).toEqual([
    ['a.txt', 'A'],
    ['b.txt', 'DOCUMENT_CORRUPT'],
  ]);
});
