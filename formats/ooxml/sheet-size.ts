import { openZip } from '../zip/zip';

/** Only sizes are read: nothing is expanded. */
const limits = { maxEntries: 20_000, maxExpandedBytes: 0 };

/** Returns the declared size of all sheets of a workbook together; 0 if it cannot be opened, which its reader will report. */
export function measureSheets(bytes: Uint8Array, sheetName: RegExp): number {
  try {
    const zip = openZip(bytes, limits);
    const sheets = zip.names.filter((name) => sheetName.test(name));
    return sheets.reduce((sum, name) => sum + (zip.declaredSize(name) ?? 0), 0);
  } catch {
    return 0;
  }
}
