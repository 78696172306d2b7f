import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';

const fixedDate = new Date(2025, 1, 3, 10, 0, 0);

/** Zips files with fixed dates, so that equal contents give equal bytes. */
export function pack(files: Record<string, string | Uint8Array>): Uint8Array {
  return zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [name, typeof content === 'string' ? strToU8(content) : content]),
    ),
    { mtime: fixedDate, level: 9 },
  );
}

/** Takes clock and random ids out of an Office file that a library wrote. */
export function repack(bytes: Uint8Array): Uint8Array {
  const files = unzipSync(bytes);
  const names = new Map<string, string>();
  const toStableId = (id: string) => names.get(id) ?? (names.set(id, `rIdLink${names.size + 1}`), names.get(id)!);
  const entries = Object.entries(files).filter(([name]) => !name.endsWith('/'));
  const rewritten = entries.map(([name, content]) => {
    if (!/\.(xml|rels)$/.test(name)) return [name, content] as const;
    const text = strFromU8(content)
      .replace(/(<dcterms:(?:created|modified)[^>]*>)[^<]*/g, '$12025-02-03T09:00:00Z')
      .replace(/rId[A-Za-z0-9_-]{12,}/g, toStableId);
    return [name, text] as const;
  });
  return pack(Object.fromEntries(rewritten));
}
