import type { CompoundFile } from '../compound';
import { createRc4Mask, createRc4Keys } from '../crypt/rc4-keys';

const blockBytes = 512;
/** The start of the main stream is never encrypted (MS-DOC 2.2.6.2). */
const plainBytes = 68;

/**
 * Returns the streams of an encrypted document of Word 97 to 2003, decrypted with the password. Undefined if there is no
 * password, it is wrong, or the cipher is not RC4.
 */
export function decryptWord(
  file: CompoundFile,
  main: Buffer,
  password: string | undefined,
): { file: CompoundFile; main: Buffer } | undefined {
  const tableName = main.readUInt16LE(0x0a) & 0x200 ? '1table' : '0table';
  const table = file.stream(tableName);
  const headerBytes = main.readUInt32LE(0x0e);
  if (password === undefined || table === undefined || headerBytes > table.length) return undefined;
  const keyOf = createRc4Keys(table.subarray(0, headerBytes), password);
  if (keyOf === undefined) return undefined;
  const openStream = (stream: Buffer, from: number): Buffer => {
    const copy = Buffer.from(stream);
    createRc4Mask(keyOf, blockBytes)(copy, { from, to: copy.length });
    return copy;
  };
  const starts: Readonly<Record<string, number>> = { [tableName]: headerBytes, data: 0 };
  return {
    main: openStream(main, plainBytes),
    file: {
      ...file,
      stream(name) {
        const stream = file.stream(name);
        const from = starts[name.toLowerCase()];
        return stream === undefined || from === undefined ? stream : openStream(stream, from);
      },
    },
  };
}
