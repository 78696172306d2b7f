const buckets = 1 << 18;

/** A node matches if any document matches. */
export function createTextIndex(texts: readonly string[]): (part: string) => readonly number[] {
  const lists: (number[] | undefined)[] = Array.from({ length: buckets });
  const last = new Int32Array(buckets).fill(-1);
  texts.forEach((text, index) => {
    for (let at = 0; at + 3 <= text.length; at++) {
      const bucket = hashBucket(text, at);
      if (last[bucket] === index) continue;
      last[bucket] = index;
      const list = lists[bucket];
      if (list) list.push(index);
      else lists[bucket] = [index];
    }
  });
  const all = [...texts.keys()];
  return (part) => {
    let fewest: readonly number[] = all;
    for (let at = 0; at + 3 <= part.length; at++) {
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
