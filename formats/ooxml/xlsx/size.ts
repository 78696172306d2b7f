import { openZip } from '../../zip/zip';

/** Above this size, the cells of the sheets would need more memory than a conversion thread has. */
const largeBytes = 48 * 1024 * 1024;
/** A smaller workbook cannot contain such sheets, however well it is compressed. */
export const minPackedBytes = 100 * 1024;
const limits = { maxEntries: 20_000, maxExpandedBytes: 0 };

/** True if the sheets of a workbook are read row by row. */
export function hasLargeSheets(bytes: Uint8Array): boolean {
  if (bytes.length < minPackedBytes) return false;
  try {
    const zip = openZip(bytes, limits);
    const sheets = zip.names.filter((name) => /(?:^|\/)worksheets\/[^/]+\.xml$/i.test(name));
    return sheets.reduce((sum, name) => sum + (zip.declaredSize(name) ?? 0), 0) > largeBytes;
  } catch {
    // The reader reports the problem.
    return false;
  }
}
