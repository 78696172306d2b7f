/** One property change (MS-DOC 2.2.5.1): its code and value bytes. */
export interface Sprm {
  code: number;
  value: Buffer;
}

/** Size of values by the upper three bits of the code; 6 means that the size is stored. */
const valueBytes = [1, 1, 2, 4, 2, 2, 0, 3];

/** Yields the changes of a list. Stops at a change that does not fit. */
export function* iterateSprms(list: Buffer): Generator<Sprm> {
  let at = 0;
  while (at + 2 < list.length) {
    const code = list.readUInt16LE(at);
    at += 2;
    let size = valueBytes[code >> 13]!;
    if (code >> 13 === 6) {
      const isTable = code === 0xd608 || code === 0xd606;
      if (at + 2 > list.length) return;
      size = isTable ? list.readUInt16LE(at) - 1 : list[at]!;
      at += isTable ? 2 : 1;
    }
    if (size < 0 || at + size > list.length) return;
    yield { code, value: list.subarray(at, at + size) };
    at += size;
  }
}

/** Properties of a range of bytes in the main stream; `end` is exclusive. */
export interface Stretch {
  start: number;
  end: number;
  /** For paragraphs: the style number in two bytes, then the changes. */
  properties: Buffer;
}

/** Reads all ranges of a kind in order of position, from the pages listed in `bins` (MS-DOC 2.9.33 and 2.9.175). */
export function readStretches(main: Buffer, bins: Buffer, kind: 'paragraph' | 'character'): Stretch[] {
  const entryBytes = kind === 'paragraph' ? 13 : 1;
  return readRangesWithLayout(main, bins, { numberBytes: 4, entryBytes, listOf: (page, at) => listAt(page, at, kind) });
}

const pageBytes = 512;

/** The layout of pages with ranges. */
interface PageLayout {
  /** Size of a page number in bytes. */
  numberBytes: 2 | 4;
  entryBytes: number;
  /** Returns the changes at an offset of a page. */
  listOf: (page: Buffer, at: number) => Buffer;
}

/** Reads all ranges from pages with this layout. */
export function readRangesWithLayout(
  main: Buffer,
  bins: Buffer,
  { numberBytes, entryBytes, listOf }: PageLayout,
): Stretch[] {
  const count = Math.max(Math.floor((bins.length - 4) / (4 + numberBytes)), 0);
  const stretches: Stretch[] = [];
  const seen = new Set<number>();
  for (let index = 0; index < count; index++) {
    const number = bins.readUIntLE(4 * (count + 1) + numberBytes * index, numberBytes) & 0x3fffff;
    const page = main.subarray(number * pageBytes, (number + 1) * pageBytes);
    if (page.length < pageBytes || seen.has(number)) continue;
    seen.add(number);
    const runs = page[pageBytes - 1]!;
    if (4 * (runs + 1) + runs * entryBytes > pageBytes - 1) continue;
    for (let run = 0; run < runs; run++) {
      const at = page[4 * (runs + 1) + run * entryBytes]! * 2;
      const [start, end] = [page.readUInt32LE(4 * run), page.readUInt32LE(4 * run + 4)];
      stretches.push({ start, end, properties: at === 0 ? Buffer.alloc(0) : listOf(page, at) });
    }
  }
  return stretches.sort((stretch, other) => stretch.start - other.start);
}

function listAt(page: Buffer, at: number, kind: 'paragraph' | 'character'): Buffer {
  const size = page[at]!;
  if (kind === 'character') return page.subarray(at + 1, at + 1 + size);
  if (size === 0) return page.subarray(at + 2, at + 2 + 2 * (page[at + 1] ?? 0));
  return page.subarray(at + 1, at + 2 * size);
}

/** Returns the index of the range that covers the offset, or -1. */
export function findRange(stretches: readonly Stretch[], offset: number): number {
  let low = 0;
  let high = stretches.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (stretches[middle]!.start > offset) high = middle - 1;
    else low = middle;
  }
  const stretch = stretches[low];
  return stretch !== undefined && stretch.start <= offset && offset < stretch.end ? low : -1;
}
