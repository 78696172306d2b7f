import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

/** One entry of a ZIP. */
export interface ZipEntry {
  name: string;
  content: Uint8Array;
  /** The mode of Unix; a symbolic link by default has 0o120777. */
  mode?: number;
}

/** A ZIP; `copies` entries of the directory name each entry, so that a small file expands to many large ones. */
export function createZip(entries: readonly ZipEntry[], copies = 1): Buffer<ArrayBuffer> {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, mode = 0o100644 } of entries) {
    const packed = deflateRawSync(content);
    const facts = describeEntry(name, content, packed.length);
    const local = Buffer.concat([bytes32(0x04034b50), facts, bytes16(0), Buffer.from(name), packed]);
    for (let copy = 0; copy < copies; copy += 1) {
      const places = [bytes16(0), bytes16(0), bytes16(0), bytes16(0), bytes32(mode * 0x10000), bytes32(offset)];
      directory.push(Buffer.concat([bytes32(0x02014b50), bytes16(0x031e), facts, ...places, Buffer.from(name)]));
    }
    locals.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const count = bytes16(directory.length);
  const end = [bytes32(0x06054b50), bytes32(0), count, count, bytes32(listed.length), bytes32(offset), bytes16(0)];
  return Buffer.concat([...locals, listed, ...end]);
}

/** What the local header and the directory say alike, up to the length of the name. */
function describeEntry(name: string, content: Uint8Array, packedBytes: number): Buffer {
  const sizes = [bytes32(crc32(content)), bytes32(packedBytes), bytes32(content.length)];
  const versionFlagsAndMethod = [bytes16(20), bytes16(0x0800), bytes16(8), bytes32(0)];
  return Buffer.concat([...versionFlagsAndMethod, ...sizes, bytes16(Buffer.byteLength(name))]);
}

function bytes16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function bytes32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** One entry of a TAR: a file, or a link to `target`. */
export interface TarEntry {
  name: string;
  content?: string;
  /** `1` is a hard link, `2` a symbolic link. */
  link?: '1' | '2';
  target?: string;
}

/** A TAR as POSIX.1-1988 describes it. */
export function createTar(entries: readonly TarEntry[]): Buffer<ArrayBuffer> {
  const blocks: Buffer[] = [];
  for (const { name, content = '', link = '0', target = '' } of entries) {
    const header = Buffer.alloc(512);
    const size = Buffer.byteLength(content);
    header.write(name, 0);
    header.write('0000644\0', 100);
    header.write(`${size.toString(8).padStart(11, '0')} `, 124);
    header.write('        ', 148);
    header.write(link, 156);
    header.write(target, 157);
    header.write('ustar\x0000', 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const body = Buffer.alloc(Math.ceil(size / 512) * 512);
    body.write(content, 0);
    blocks.push(header, body);
  }
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

const symbolicLink = 0o120777;
/** A file that every system has and nobody should get; its first line begins with `root:`. */
const foreign = '/etc/passwd';

/** Archives that lead out of themselves, by name. Each holds one file that becomes a document at most. */
export function buildLinks(): Record<string, Buffer<ArrayBuffer>> {
  const zip = (name: string, content: string, mode?: number) =>
    createZip([{ name, content: Buffer.from(content), ...(mode === undefined ? {} : { mode }) }]);
  const note = { name: 'note.md', content: '# Note' };
  return {
    'link.zip': zip('link.md', foreign, symbolicLink),
    'up.zip': zip('../../../outside.md', '# Up'),
    'back.zip': zip(String.raw`..\..\outside.md`, '# Back'),
    'root.zip': zip('/tmp/outside.md', '# Root'),
    'link.tar': createTar([{ name: 'link.md', link: '2', target: foreign }, note]),
    'hard.tar': createTar([{ name: 'hard.md', link: '1', target: foreign }, note]),
    'folder.tar': createTar([{ name: 'in', link: '2', target: '/etc' }, { name: 'in/passwd', link: '1', target: foreign }, note]), // prettier-ignore
    'up.tar': createTar([{ name: '../../../outside.md', content: '# Up' }]),
    'root.tar': createTar([{ name: '/tmp/outside.md', content: '# Root' }]),
  };
}

/** Small archives that expand to more than a gigabyte: copies of an entry, members of a gzip, and archives in archives. */
export function buildBombs(): Record<string, Buffer<ArrayBuffer>> {
  const zeros = Buffer.alloc(32 * 1024 * 1024, '0');
  const copies = createZip([{ name: 'zeros.txt', content: zeros }], 64);
  const packed = gzipSync(zeros);
  let nested = createZip([{ name: 'zeros.txt', content: zeros }]);
  for (let depth = 0; depth < 12; depth += 1) nested = createZip([{ name: `${depth}.zip`, content: nested }], 8);
  return {
    'copies.zip': copies,
    'members.txt.gz': Buffer.concat(Array.from({ length: 64 }, () => packed)),
    'nested.zip': nested,
  };
}
