import { AppError } from '../model/errors';
import { convertBytes } from './convert';
import { detectFormat } from './detect';
import { formats } from './list';

const nameOf = (name: string, head: string | Uint8Array = 'text', mimetype?: string) =>
  detectFormat({ name, mimetype, head: typeof head === 'string' ? Buffer.from(head) : head })?.name;

/** The local header of a ZIP entry. */
function zipEntry(name: string): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, Buffer.from(name)]);
}
const compoundFile = (content: string) =>
  Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(1024), Buffer.from(content, 'utf16le')]);

describe('detectFormat', () => {
  it('takes the type text/plain, which forms give to files without a type, for text only', () => {
    const recording = Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0', 'latin1');
    expect(detectFormat({ name: 'talk.wav', mimetype: 'text/plain', head: recording })).toBeUndefined();
    for (const head of [
      Buffer.from('Grüße', 'latin1'),
      Buffer.from('\u{feff}notes', 'utf16le'),
      Buffer.from('two words', 'utf16le'),
    ])
      expect(detectFormat({ name: 'notes.xyz', mimetype: 'text/plain', head })?.name).toBe('text');
  });

  test('every extension of the list leads to its format, in any letter case', () => {
    for (const format of formats) {
      const head = format.isZip ? Buffer.from('PK\x03\x04') : undefined;
      for (const extension of format.extensions)
        expect([extension, nameOf(`folder/A.${extension.toUpperCase()}`, head)]).toEqual([extension, format.name]);
    }
  });

  test('names and extensions are unique', () => {
    const extensions = formats.flatMap((format) => format.extensions);
    expect(new Set(extensions).size).toBe(extensions.length);
    expect(new Set(formats.map(({ name }) => name)).size).toBe(formats.length);
  });

  test('the media type is used if the name is not enough', () => {
    expect(nameOf('download', 'x', 'text/markdown; charset=utf-8')).toBe('md');
    expect(nameOf('file.unknown', 'x', 'text/html')).toBe('html');
  });

  test('content takes precedence over a contradicting name', () => {
    expect(nameOf('page.txt', '<!DOCTYPE html><p>x')).toBe('html');
    expect(nameOf('page.md', '<html><p>x')).toBe('md');
    expect(nameOf('letter.docx', '%PDF-1.7')).toBe('pdf');
    expect(nameOf('table.docx', Buffer.concat([zipEntry('[Content_Types].xml'), zipEntry('xl/workbook.xml')]))).toBe(
      'xlsx',
    );
    expect(nameOf('without-extension', zipEntry('word/document.xml'))).toBe('docx');
    expect(nameOf('other.zip', zipEntry('readme.txt'))).toBeUndefined();
  });

  test('a text without an extension is plain text, other files have no format', () => {
    expect(nameOf('README', 'Read me: ä')).toBe('text');
    expect(nameOf('core', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]))).toBeUndefined();
    expect(nameOf('program.exe', 'MZ')).toBeUndefined();
  });
});

describe('convertBytes', () => {
  test('returns the document with its origin, format and pages', async () => {
    const converted = await convertBytes({ bytes: Buffer.from('# Title\n'), name: 'a/notes.md' });
    expect(converted).toMatchObject({ format: 'md', pages: 1 });
    expect(converted.document).toMatchObject({
      name: 'notes',
      origin: { mimetype: 'text/markdown', filename: 'a/notes.md' },
    });
    // printf '# Title\n' | sha256sum | cut -c49-64
    expect(converted.document.origin!.binary_hash).toBe(0x21d0a2838991b740n);
  });

  test('a document without pages counts 3,000 characters as one page', async () => {
    const { pages } = await convertBytes({ bytes: Buffer.from('word '.repeat(1300)), name: 'long.txt' });
    expect(pages).toBe(3);
  });

  test.each([
    ['no bytes', 'a.md', Buffer.alloc(0), 'DOCUMENT_EMPTY', "'a.md' has no bytes"],
    [
      'a OneNote notebook by content',
      'a',
      Buffer.from('a12ff43fd9ef764c9ee210ea5722765f', 'hex'),
      'FORMAT_UNSUPPORTED',
      'is a OneNote notebook',
    ],
    [
      'Publisher by name',
      'a.pub',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'FORMAT_UNSUPPORTED',
      'is a Publisher document',
    ],
    ['a public key', 'id.pub', Buffer.from('ssh-ed25519 AAAA'), 'FORMAT_UNSUPPORTED', 'has an unknown format'],
    [
      '7-Zip by content',
      'a',
      Buffer.from('377abcaf271c0004', 'hex'),
      'FORMAT_UNSUPPORTED',
      'request the documents in it',
    ],
    ['old Hangul', 'a.hwp', Buffer.from('HWP Document File V3.00 '), 'FORMAT_UNSUPPORTED', 'is a Hangul document'],
    ['film by name', 'a.mp4', Buffer.from([0, 1, 2, 0]), 'FORMAT_UNSUPPORTED', 'is audio or video'],
    ['an unknown extension', 'a.xyz', Buffer.from('x'), 'FORMAT_UNSUPPORTED', '.pdf, '],
    ['an encrypted Office document', 'a.docx', compoundFile('EncryptedPackage'), 'DOCUMENT_ENCRYPTED', 'password'],
    [
      'an encrypted Office document without a name',
      'a',
      compoundFile('EncryptedPackage'),
      'DOCUMENT_ENCRYPTED',
      'password',
    ],
    ['a damaged old binary document', 'a.doc', compoundFile('WordDocument'), 'DOCUMENT_CORRUPT', 'damaged'],
    ['binary data in a text', 'a.txt', Buffer.from([1, 0, 2, 0, 0]), 'DOCUMENT_CORRUPT', 'NUL'],
    ['no container', 'a.docx', Buffer.from('not a zip'), 'DOCUMENT_CORRUPT', ''],
  ])('%s gives its code', async (_name, name, bytes, code, message) => {
    const error = await convertBytes({ bytes, name }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) as string });
  });

  test('random bytes under every extension give an AppError or a document', async () => {
    let state = 1;
    for (const extension of formats.flatMap((format) => format.extensions)) {
      const bytes = Buffer.from(Array.from({ length: 300 }, () => (state = (state * 48_271) % 2_147_483_647) & 0xff));
      const outcome = await convertBytes({ bytes, name: `x.${extension}` }).catch((error: unknown) => error);
      expect(outcome instanceof AppError ? outcome.code : 'document').not.toBe('CONVERSION_FAILED');
      expect(outcome instanceof Error && !(outcome instanceof AppError)).toBe(false);
    }
  });

  test('the start of any text is examined quickly', () => {
    const units = [
      '\n',
      ' \n',
      '\t',
      '%\n',
      ' % \n',
      '<!---->',
      '<!-- -->\n',
      '<?x ?>',
      '<?xml ?><!---->',
      '<!DOCTYPE a [',
      '<',
      '{"',
      'A: b\n',
    ];
    const started = performance.now();
    for (const unit of units) {
      const head = Buffer.from(unit.repeat(4096 / unit.length));
      for (const { sniff } of formats) sniff?.(head);
      expect(detectFormat({ name: 'a.txt', head })).toBeDefined();
    }
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

test('AVIF is recognized by its first box', () => {
  for (const brand of ['avif', 'avis'])
    expect(detectFormat({ name: 'a', head: Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0mif1`) })?.name).toBe('image');
});
