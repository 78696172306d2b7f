/** A power of two, because buckets are chosen by a bit mask. */
const buckets = 1 << 18;
const partLength = 3;

/**
 * Indexes texts by their three-character parts. The returned function lists, in ascending order, the indexes of texts that may contain a
 * part: never too few, sometimes too many.
 */
export function createTextIndex(texts: readonly string[]): (part: string) => readonly number[] {
  const lists: (number[] | undefined)[] = Array.from({ length: buckets });
  const lastAdded = new Int32Array(buckets).fill(-1);
  texts.forEach((text, index) => {
    for (let at = 0; at + partLength <= text.length; at++) {
      const bucket = hashBucket(text, at);
      if (lastAdded[bucket] === index) continue;
      lastAdded[bucket] = index;
      const list = lists[bucket];
      if (list) list.push(index);
      else lists[bucket] = [index];
    }
  });
  const all = [...texts.keys()];
  return (part) => {
    let fewest: readonly number[] = all;
    for (let at = 0; at + partLength <= part.length; at++) {
      const list = lists[hashBucket(part, at)] ?? [];
      if (list.length < fewest.length) fewest = list;
    }
    return fewest;
  };
}

// Different characters may share a bucket, which only makes the lists longer.
function hashBucket(text: string, at: number): number {
  const [first, second, third] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
  return (Math.imul(first, 7919) + Math.imul(second, 131) + third) & (buckets - 1);
}
