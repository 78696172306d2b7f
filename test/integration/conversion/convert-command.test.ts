import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Document, ImageRun, Packer, Paragraph } from 'docx';
import { strToU8, zipSync } from 'fflate';
import Pdf from 'pdfkit';

const root = path.join(__dirname, '..', '..', '..');
const { build } = require(path.join(root, 'scripts', 'build.js')) as { build: () => number };

/** A bitmap of 40 by 40 black pixels. */
const bitmap = Buffer.alloc(54 + 40 * 40 * 3);
bitmap.write('BM');
bitmap.writeUInt32LE(bitmap.length, 2);
bitmap.writeUInt32LE(54, 10);
bitmap.writeUInt32LE(40, 14);
bitmap.writeInt32LE(40, 18);
bitmap.writeInt32LE(40, 22);
bitmap.writeUInt16LE(1, 26);
bitmap.writeUInt16LE(24, 28);
const folder = mkdtempSync(path.join(tmpdir(), 'convert-command-'));
const inputs = path.join(folder, 'in');

beforeAll(async () => {
  build();
  const picture = new ImageRun({ type: 'bmp', data: bitmap, transformation: { width: 200, height: 200 } });
  const word = new Document({
    sections: [{ children: [new Paragraph('Tides'), new Paragraph({ children: [picture] })] }],
  });
  mkdirSync(path.join(inputs, 'sub'), { recursive: true });
  writeFileSync(path.join(inputs, 'tides.docx'), await Packer.toBuffer(word));
  writeFileSync(path.join(inputs, 'tides.md'), '# Tides\n\nA & c < d.\n');
  writeFileSync(
    path.join(inputs, 'sub', 'main.tex'),
    '\\documentclass{a}\\begin{document}\\input{part}\\end{document}',
  );
  writeFileSync(path.join(inputs, 'sub', 'part.tex'), 'Ebb and flow.');
  writeFileSync(path.join(inputs, 'broken.docx'), 'PK\u0003\u0004 no archive');
  writeFileSync(path.join(inputs, 'data.bin'), Buffer.from([0, 1, 2, 3]));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function convert(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return piped('', ...args);
}

function piped(input: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [path.join(root, 'bin', 'docloom'), 'convert', ...args],
      { cwd: folder },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}
const output = (...parts: string[]) => readFileSync(path.join(folder, ...parts), 'utf8');

test('a folder is converted with its subfolders; failures are reported, and the exit code is 3', async () => {
  const { code, stdout } = await convert('in', '--to', 'md', '--to', 'json,text', '--output', 'out', '--jobs', '2');
  expect(code).toBe(3);
  expect(stdout).toContain('FAILED');
  expect(stdout).toContain(path.join('in', 'broken.docx'));
  expect(stdout).toContain('4 of 6 converted, 1 failed, 1 skipped');
  expect(readdirSync(path.join(folder, 'out')).toSorted()).toEqual(
    [
      'sub',
      'tides.docx.json',
      'tides.docx.md',
      'tides.docx.txt',
      'tides.md.json',
      'tides.md.md',
      'tides.md.txt',
    ].toSorted(),
  );
  expect(output('out', 'sub', 'main.md')).toBe('Ebb and flow.');
  expect(JSON.parse(output('out', 'tides.md.json'))).toMatchObject({ schema_name: 'DoclingDocument', name: 'tides' });
});

test('--json prints everything; a pattern and --from select; referenced pictures are next to the outputs', async () => {
  const args = ['in/*.*', '--from', 'docx', '--to', 'md,html', '--image-mode', 'referenced', '--json', '--output', 'j'];
  const { code, stdout } = await convert(...args);
  expect(code).toBe(3);
  const { totals, documents } = JSON.parse(stdout) as {
    totals: Record<string, number>;
    documents: { source: string; status: string; code?: string; outputs: string[] }[];
  };
  // Programs decide by the code, not by the message.
  expect(
    documents.filter(({ code: reason }) => reason !== undefined).map(({ source, code: reason }) => [source, reason]),
  ).toEqual([[expect.stringContaining('broken.docx'), 'DOCUMENT_CORRUPT']]);
  expect(totals).toMatchObject({ documents: 4, succeeded: 1, failed: 1, skipped: 2 });
  const word = documents.find(({ source }) => source.endsWith('tides.docx'));
  expect(word).toMatchObject({ status: 'success', format: 'docx', messages: [] });
  const image = /!\[Image\]\((artifacts\/[^)]+\.bmp)\)/.exec(output('j', 'tides.docx.md'))?.[1];
  expect(readFileSync(path.join(folder, 'j', image!))).toEqual(bitmap);
  expect(output('j', 'tides.docx.html')).toContain(`<img src="${image}"`);
});

test('one converted file has exit code 0; only the requested output is written', async () => {
  const { code, stdout, stderr } = await convert('in/tides.md', '--output', 'one');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^done +in\/tides\.md +markdown|^done +in\/tides\.md +md/);
  expect(readdirSync(path.join(folder, 'one'))).toEqual(['tides.md']);
  expect(output('one', 'tides.md')).toBe('# Tides\n\nA &amp; c &lt; d.');
});

test('the report lists outputs and replaced files; --skip-existing replaces nothing', async () => {
  const first = await convert('in/tides.md', '-o', 'again');
  expect(first.stdout).toMatch(/-> again\/tides\.md\n1 of 1 converted, 1 page, /);
  expect((await convert('in/tides.md', '-o', 'again')).stdout).toContain('1 of 1 converted, 1 file replaced');
  writeFileSync(path.join(folder, 'again', 'tides.md'), 'mine');
  const kept = await convert('in/tides.md', '-o', 'again', '--skip-existing');
  expect(kept).toMatchObject({ code: 0, stdout: expect.stringContaining('again/tides.md already exists.') });
  expect(output('again', 'tides.md')).toBe('mine');
});

test('- reads standard input and -o - writes standard output, nothing else', async () => {
  const read = await piped('<h1>Tides</h1><p>Ebb.</p>', '-', '--stdin-name', 'page.html', '-o', '-');
  expect(read).toEqual({ code: 0, stdout: '# Tides\n\nEbb.', stderr: '' });
  const kept = await piped('<h1>Tides</h1>', '-', '--stdin-name', 'page.html', '-o', 'from-stdin');
  expect(kept.code).toBe(0);
  expect(output('from-stdin', 'stdin.md')).toBe('# Tides');
  const broken = await convert('in/broken.docx', '-o', '-');
  expect(broken).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('FAILED') });
  expect((await convert('in', '-o', '-')).code).toBe(2);
  expect((await convert('in/tides.md', '-o', '-', '--to', 'md,json')).code).toBe(2);
});

test('pages are chosen and marked, and a password opens a protected PDF', async () => {
  const pdf = new Pdf({ userPassword: 'secret' });
  const parts: Buffer[] = [];
  pdf.on('data', (part: Buffer) => parts.push(part));
  const ended = new Promise((resolve) => pdf.on('end', resolve));
  for (const text of ['First page.', 'Second page.', 'Third page.']) {
    if (text !== 'First page.') pdf.addPage();
    pdf.text(text);
  }
  pdf.end();
  await ended;
  writeFileSync(path.join(folder, 'locked.pdf'), Buffer.concat(parts));
  const refused = await convert('locked.pdf', '--output', 'p');
  expect(refused.code).toBe(3);
  expect(refused.stdout).toContain('password');
  const args = ['--password', 'secret', '--pages', '2-3', '--page-break', '<!-- page -->', '--output', 'p'];
  expect((await convert('locked.pdf', ...args)).code).toBe(0);
  expect(output('p', 'locked.md')).toBe('Second page.\n\n<!-- page -->\n\nThird page.');
});

test('DocLang is XML under .dclg', async () => {
  expect((await convert('in/tides.md', '--to', 'doclang', '--output', 'd')).code).toBe(0);
  expect(output('d', 'tides.dclg')).toBe(
    '<doclang version="0.7">\n  <heading>Tides</heading>\n  <text>A &amp; c &lt; d.</text>\n</doclang>\n',
  );
});

test('chunks are JSON lines', async () => {
  expect((await convert('in/tides.md', '--to', 'chunks', '--max-tokens', '50', '--output', 'c')).code).toBe(0);
  expect(JSON.parse(output('c', 'tides.chunks.jsonl'))).toMatchObject({ filename: 'tides.md', headings: ['Tides'] });
});

test.each([
  [['in/tides.md', '--to', 'pdf'], "'pdf' is not a value of --to <format>. Expected one of: md, json"],
  [['in/tides.md', '--from', 'audio'], "'audio' is not a value of --from <format>. Expected one of: docx"],
  [['in/tides.md', '--from', 'afp'], 'Expected one of: docx'],
  [['in/tides.md', '--pages', '5-1'], 'pages such as 1-5'],
  [
    ['in/tides.md', '--image-mode', 'big'],
    "'big' is not a value of --image-mode <mode>. Expected one of: placeholder, embedded, referenced.",
  ],
  [[], "Missing required argument 'path'."],
])('%j is a usage error', async (args, message) => {
  const { code, stderr } = await convert(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('--ocr-lang selects the languages of pictures; those without data are reported', async () => {
  writeFileSync(path.join(folder, 'black.bmp'), bitmap);
  const some = await convert('black.bmp', '--ocr-lang', 'en,tlh', '--output', 'read');
  expect(some).toMatchObject({ code: 0, stderr: expect.stringContaining('npm install @tesseract.js-data/tlh') });
  const none = await convert('black.bmp', '--ocr-lang', 'tlh', '--output', 'read');
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('npm install @tesseract.js-data/tlh') });
});

test('a missing file, or a file that no format can read, is an error with its name', async () => {
  expect(await convert('in/gone.md')).toMatchObject({ code: 2, stderr: expect.stringContaining("'in/gone.md'") });
  const { code, stdout } = await convert('in/data.bin');
  expect(code).toBe(3);
  expect(stdout).toContain('data.bin');
  expect(stdout).toContain('Its format is unknown; `docloom convert --help` lists the formats. (FORMAT_UNSUPPORTED)');
  mkdirSync(path.join(folder, 'vacant'));
  expect(await convert('vacant')).toMatchObject({ code: 0, stderr: 'There are no files in vacant.\n' });
  expect(existsSync(path.join(folder, 'data.md'))).toBe(false);
});

test('a file that its own output would replace is not changed', async () => {
  writeFileSync(path.join(folder, 'own.md'), 'Own\n===\n');
  const { code } = await convert('own.md');
  expect([code, output('own.md'), output('own.md.md')]).toEqual([0, 'Own\n===\n', '# Own']);
});

test('an output that has the extension of a format is a file', async () => {
  expect((await convert('in/tides.md', '-o', 'deep/tides.copy.json')).code).toBe(0);
  expect(JSON.parse(output('deep', 'tides.copy.json'))).toMatchObject({ schema_name: 'DoclingDocument' });
  expect((await convert('in/tides.md', '-o', 'pages.html')).code).toBe(0);
  expect(output('pages.html')).toContain('<html');
  mkdirSync(path.join(folder, 'folder.md'));
  expect((await convert('in/tides.md', '-o', 'folder.md')).code).toBe(0);
  expect(output('folder.md', 'tides.md')).toContain('# Tides');
});

test.each([
  [['in', '-o', 'all.md'], "--output 'all.md' is a file and takes one document, but there are"],
  [['in/tides.md', '--to', 'html', '-o', 'a.md'], 'is a file of the format md, but --to is html'],
  [['in/tides.md', '--to', 'md,json', '-o', 'a.md'], 'but --to is md, json'],
  [['in/tides.md', '-o', 'in/tides.md'], "--output 'in/tides.md' would replace the document itself"],
])('%j writes nothing', async (args, message) => {
  const { code, stdout, stderr } = await convert(...args);
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
});

test('an output folder that is not a folder is reported before the work', async () => {
  writeFileSync(path.join(folder, 'a-file'), '');
  const { code, stdout, stderr } = await convert('in', '--output', 'a-file');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain("The outputs cannot go to the folder 'a-file'");
});

test('an unknown command is reported with the likely one', async () => {
  const run = (...args: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, [path.join(root, 'bin', 'docloom'), ...args], (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  expect(await run('confg')).toEqual({
    code: 2,
    stdout: '',
    stderr: "docloom: Unknown command 'confg'. Did you mean config? (VALIDATION_ERROR)\n",
  });
  expect(await run('graph', 'foo')).toMatchObject({
    code: 2,
    stderr: "docloom: Unknown command 'foo'. (VALIDATION_ERROR)\n",
  });
  expect((await run('new', 'operator')).code).toBe(2);
  expect(await run('help', 'convert')).toMatchObject({ code: 0, stdout: expect.stringContaining('--jobs <n>') });
  expect((await run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('the files of an archive are converted one by one, each with its own outcome and a stable name', async () => {
  const mail =
    'From: a@example.org\nSubject: Hi\nContent-Type: multipart/mixed; boundary=X\n\n--X\n\nBody.\n--X\nContent-Disposition: attachment; filename=p.csv\n\na,b\n--X--\n';
  const files = {
    'a/tides.md': strToU8('# Ebb'),
    'bad.docx': strToU8('PK no'),
    LICENSE: strToU8('Free.'),
    'm.eml': strToU8(mail),
  };
  writeFileSync(
    path.join(folder, 'box.zip'),
    zipSync({ ...files, 'x.bin': Uint8Array.of(0, 1), '../up.md': strToU8('# Up') }),
  );
  const { code, stdout } = await convert('box.zip', '--output', 'boxed', '--attachments', '--json');
  expect(code).toBe(3);
  const { documents } = JSON.parse(stdout) as { documents: { source: string; status: string; outputs: string[] }[] };
  expect(documents.map(({ source, status, outputs }) => [source, status, outputs[0]])).toEqual([
    ['box.zip/a/tides.md', 'success', path.join('boxed', 'box.zip.files', 'a', 'tides.md.md')],
    ['box.zip/bad.docx', 'failure', undefined],
    ['box.zip/LICENSE', 'success', path.join('boxed', 'box.zip.files', 'LICENSE.md')],
    ['box.zip/m.eml', 'success', path.join('boxed', 'box.zip.files', 'm.eml.md')],
    ['box.zip/m.eml/p.csv', 'success', path.join('boxed', 'box.zip.files', 'm.eml', 'p.csv.md')],
    ['box.zip/x.bin', 'skipped', undefined],
    ['box.zip/up.md', 'success', path.join('boxed', 'box.zip.files', 'up.md.md')],
  ]);
  expect(output('boxed', 'box.zip.files', 'm.eml', 'p.csv.md')).toContain('| a');
});
