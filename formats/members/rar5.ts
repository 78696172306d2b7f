/** Blocks, flags of blocks and extra records (RAR 5.0 archive format). */
const blocks = { file: 2, encryption: 4 } as const;
const flags = { extra: 1, data: 2 } as const;
const encryptionRecord = 1;

/**
 * True if a RAR 5 archive has an encrypted file. libarchive does not notice the encryption and decompresses such a file
 * to noise.
 */
export function isEncryptedRar5(bytes: Uint8Array): boolean {
  if (Buffer.from(bytes.subarray(0, 8)).toString('latin1') !== 'Rar!\x1a\x07\x01\x00') return false;
  for (let at = 8; at < bytes.length;) {
    const size = readVarint(bytes, at + 4);
    const end = size.end + size.value;
    if (size.value === 0 || end > bytes.length) return false;
    const header = readHeader(bytes, size.end);
    if (header.type === blocks.encryption) return true;
    if (header.type === blocks.file && hasEncryption(bytes, end - header.extraSize, end)) return true;
    at = end + header.dataSize;
  }
  return false;
}

function readHeader(bytes: Uint8Array, from: number): { type: number; extraSize: number; dataSize: number } {
  const type = readVarint(bytes, from);
  const flag = readVarint(bytes, type.end);
  const extra = (flag.value & flags.extra) === 0 ? { value: 0, end: flag.end } : readVarint(bytes, flag.end);
  const data = (flag.value & flags.data) === 0 ? { value: 0, end: extra.end } : readVarint(bytes, extra.end);
  return { type: type.value, extraSize: extra.value, dataSize: data.value };
}

function hasEncryption(bytes: Uint8Array, from: number, end: number): boolean {
  for (let at = from; at < end;) {
    const size = readVarint(bytes, at);
    if (readVarint(bytes, size.end).value === encryptionRecord) return true;
    if (size.value === 0) return false;
    at = size.end + size.value;
  }
  return false;
}

function readVarint(bytes: Uint8Array, from: number): { value: number; end: number } {
  let value = 0;
  for (let at = from, factor = 1; at < from + 10; at++, factor *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value, end: at + 1 };
  }
  return { value, end: from + 10 };
}
