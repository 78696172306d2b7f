import { openZip } from '../../zip/zip';

/** Above this size, the cells of the sheets would need more memory than a conversion thread has. */
const largeBytes = 128 * 1024 * 1024;
/** A smaller file cannot contain such sheets, however well it is compressed. */
export const minPackedBytes = 256 * 1024;
/** The first byte of every ZIP file, `P`. Files of one XML document begin otherwise. */
const zipFirstByte = 0x50;
const limits = { maxEntries: 20_000, maxExpandedBytes: 4 * 1024 * 1024 };

/** True if the sheets of a spreadsheet are read row by row. Encrypted ones never are. */
export function hasLargeSheets(bytes: Uint8Array): boolean {
  if (bytes.length < minPackedBytes) return false;
  if (bytes[0] !== zipFirstByte) return bytes.length > largeBytes;
  try {
    const zip = openZip(bytes, limits);
    if ((zip.declaredSize('content.xml') ?? 0) <= largeBytes) return false;
    return !Buffer.from(zip.read('META-INF/manifest.xml') ?? []).includes('encryption-data');
  } catch {
    // The reader reports the problem.
    return false;
  }
}
