import { AppError } from '../../model/errors';
import { defaultLimits } from '../format';
import { listDamagedEntries, openZip } from './zip';

/**
 * Archives of `a.md` and, except the last, `b.txt`, with the password `tide`: by Info-ZIP 3.0, 7-Zip 16.02, and Info-ZIP from a
 * pipe.
 */
const archives = {
  old:
    'UEsDBBQACQAIACGYeV373zM5IQAAADQAAAAEABwAYS5tZFVUCQADbTAHa20wB2t1eAsAAQQAAAAABAAAAADLd9AVAXJ7AHPW7dAM' +
    'Ksq03JBYZvusKO54TsFjmPHG7GhQSwcI+98zOSEAAAA0AAAAUEsDBAoACQAAACGYeV2DFtyMDQAAAAEAAAAFABwAYi50eHRVVAkA' +
    'A20wB2ttMAdrdXgLAAEEAAAAAAQAAAAA481FDWJoTR9fi+cS3VBLBwiDFtyMDQAAAAEAAABQSwECHgMUAAkACAAhmHld+98zOSEA' +
    'AAA0AAAABAAYAAAAAAABAAAApIEAAAAAYS5tZFVUBQADbTAHa3V4CwABBAAAAAAEAAAAAFBLAQIeAwoACQAAACGYeV2DFtyMDQAA' +
    'AAEAAAAFABgAAAAAAAEAAACkgW8AAABiLnR4dFVUBQADbTAHa3V4CwABBAAAAAAEAAAAAFBLBQYAAAAAAgACAJUAAADLAAAAAAA=',
  aes:
    'UEsDBDMAAQBjACGYeV0AAAAAPQAAADQAAAAEAAsAYS5tZAGZBwACAEFFAwgAvDSxjonIjwsqDVF4yQljdxh6Z+WZuDd1/83ob28f' +
    'o8Id9xS+qB9RZpDIkPut52VBy4vMV/81h7qCJvdmYVBLAwQzAAEAYwAhmHldAAAAAB0AAAABAAAABQALAGIudHh0AZkHAAIAQUUD' +
    'AAAvEau5nbv8PLSD3XXUJi6+S1B74QBCEbLLO7b0RlBLAQI/AzMAAQBjACGYeV0AAAAAPQAAADQAAAAEAC8AAAAAAAAAIICkgQAA' +
    'AABhLm1kCgAgAAAAAAABABgAjY0eUA993QEAAAAAAAAAAAAAAAAAAAAAAZkHAAIAQUUDCABQSwECPwMzAAEAYwAhmHldAAAAAB0A' +
    'AAABAAAABQAvAAAAAAAAACCApIFqAAAAYi50eHQKACAAAAAAAAEAGACNjR5QD33dAQAAAAAAAAAAAAAAAAAAAAABmQcAAgBBRQMA' +
    'AFBLBQYAAAAAAgACAMMAAAC1AAAAAAA=',
  late:
    'UEsDBC0ACQAIACGYeV373zM5//////////8BABQALQEAEAA0AAAAAAAAACEAAAAAAAAAZxbyCYQaqgj9JV/YqPg1DgDE5qrpaL8l' +
    'YFpeOHKhyX6wUEsHCPvfMzkhAAAAAAAAADQAAAAAAAAAUEsBAh4DLQAJAAgAIZh5XfvfMzkhAAAANAAAAAEAAAAAAAAAAQAAAIAR' +
    'AAAAAC1QSwYGLAAAAAAAAAAeAy0AAAAAAAAAAAABAAAAAAAAAAEAAAAAAAAALwAAAAAAAABsAAAAAAAAAFBLBgcAAAAAmwAAAAAA' +
    'AAABAAAAUEsFBgAAAAABAAEALwAAAGwAAAAAAA==',
};
const text = '# Secret\n\nwords words words words words words words\n';
const getBytes = (name: keyof typeof archives) => new Uint8Array(Buffer.from(archives[name], 'base64'));
const textIn = (bytes: Uint8Array, name: string, password?: string) =>
  Buffer.from(openZip(bytes, defaultLimits, password).read(name) ?? []).toString();

function getCode(run: () => unknown): string {
  try {
    run();
    return 'none';
  } catch (error) {
    return (error as AppError).code;
  }
}

test.each([
  ['old', 'a.md', text],
  ['old', 'b.txt', 'x'],
  ['aes', 'a.md', text],
  ['aes', 'b.txt', 'x'],
  ['late', '-', text],
] as const)('%s: the entry %s opens only with its password', (archive, name, content) => {
  const bytes = getBytes(archive);
  expect(textIn(bytes, name, 'tide')).toBe(content);
  expect(listDamagedEntries(bytes)).toEqual([]);
  for (const password of [undefined, 'tid', 'tide '])
    expect(getCode(() => textIn(bytes, name, password))).toBe('DOCUMENT_ENCRYPTED');
});

test('a changed byte in an AES entry is an error, and its content never reaches the reader', () => {
  const bytes = getBytes('aes');
  // After the header of 45 bytes, the salt and the password verifier.
  const inside = 45 + 18 + 5;
  bytes[inside] = bytes[inside]! ^ 1;
  expect(getCode(() => textIn(bytes, 'a.md', 'tide'))).toBe('DOCUMENT_ENCRYPTED');
});

test('random bytes after a header give a coded error or nothing', () => {
  for (const archive of ['old', 'aes'] as const)
    for (let at = 30; at < 110; at++) {
      const bytes = getBytes(archive);
      bytes[at] = bytes[at]! ^ 0xff;
      expect(['none', 'DOCUMENT_ENCRYPTED', 'DOCUMENT_CORRUPT', 'DOCUMENT_TOO_LARGE']).toContain(
        getCode(() => textIn(bytes, 'a.md', 'tide')),
      );
    }
});
