/** The digest MD4 (RFC 1320), which NTLM uses for passwords and OpenSSL no longer offers. Do not use it for anything else. */
export function hashMd4(input: Buffer): Buffer {
  const padded = Buffer.alloc((((input.length + 8) >> 6) + 1) * 64);
  input.copy(padded);
  padded[input.length] = 0x80;
  padded.writeUInt32LE((input.length * 8) >>> 0, padded.length - 8);
  let state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let at = 0; at < padded.length; at += 64) {
    const words = Array.from({ length: 16 }, (_, index) => padded.readUInt32LE(at + index * 4));
    const next = mixBlock(state, words);
    state = state.map((value, index) => (value + next[index]!) >>> 0);
  }
  const digest = Buffer.alloc(16);
  for (const [index, word] of state.entries()) digest.writeUInt32LE(word, index * 4);
  return digest;
}

interface Round {
  mix: (x: number, y: number, z: number) => number;
  constant: number;
  order: readonly number[];
  shifts: readonly number[];
}

const rounds: readonly Round[] = [
  {
    mix: (x, y, z) => (x & y) | (~x & z),
    constant: 0,
    order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    shifts: [3, 7, 11, 19],
  },
  {
    mix: (x, y, z) => (x & y) | (x & z) | (y & z),
    constant: 0x5a827999,
    order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
    shifts: [3, 5, 9, 13],
  },
  {
    mix: (x, y, z) => x ^ y ^ z,
    constant: 0x6ed9eba1,
    order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
    shifts: [3, 9, 11, 15],
  },
];

function mixBlock(state: readonly number[], words: readonly number[]): number[] {
  let [a = 0, b = 0, c = 0, d = 0] = state;
  for (const { mix, constant, order, shifts } of rounds)
    for (const [step, word] of order.entries()) {
      const sum = (a + mix(b, c, d) + words[word]! + constant) >>> 0;
      const shift = shifts[step % 4]!;
      [a, d, c, b] = [d, c, b, ((sum << shift) | (sum >>> (32 - shift))) >>> 0];
    }
  return [a, b, c, d];
}
