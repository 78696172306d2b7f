import { measureSheets } from '../sheet-size';

/** Above this size, the cells of the sheets would need more memory than a conversion thread has. */
const largeBytes = 20 * 1024 * 1024;
/** A smaller workbook cannot contain such sheets, however well it is compressed. */
export const minPackedBytes = 50 * 1024;

/** True if the sheets of a workbook are read row by row. */
export function hasLargeSheets(bytes: Uint8Array): boolean {
  return bytes.length >= minPackedBytes && measureSheets(bytes, /(?:^|\/)worksheets\/[^/]+\.bin$/i) > largeBytes;
}
