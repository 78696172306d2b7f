import { detectFormat } from '../detect';
import { defaultLimits } from '../format';
import { writeCsv, groupRows, formatGroupName } from '../rows/row-groups';

/**
 * Yields the groups of rows of a large table as CSV files, each with the header. A group is dropped from memory when the next
 * one is requested.
 */
export async function listTableFiles(
  name: string,
  bytes: Uint8Array,
  limits: { maxEntries: number },
): Promise<Iterable<{ name: string; read: () => Uint8Array }>> {
  const { readSheets } = await detectFormat({ name, head: bytes })!.rows!.load();
  return list();

  function* list() {
    const sheets = readSheets(bytes, { name, limits: { ...defaultLimits, maxEntries: limits.maxEntries } });
    for (const group of groupRows(sheets)) yield { name: formatGroupName(name, group), read: () => writeCsv(group) };
  }
}
