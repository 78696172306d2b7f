const mask = (1n << 64n) - 1n;
const iv = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
];
// RFC 7693, section 2.7; the rounds 10 and 11 repeat the first two.
const sigma = [
  '0123456789abcdef',
  'ea489fd61c02b753',
  'b8c052fdae367194',
  '7931dcbe265a40f8',
  '905724afe1bc683d',
  '2c6a0b834d75fe19',
  'c51fed4a0763928b',
  'db7ec13950f4862a',
  '6fe9b308c2d714a5',
  'a2847615fb9e3cd0',
].map((row) => row.split('').map((digit) => Number.parseInt(digit, 16)));
const columnsAndDiagonals = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;

/** BLAKE2b (RFC 7693) of UTF-8 text or bytes in hex; `length` in bytes. For short inputs: `node:crypto` knows only 64 bytes. */
export function blake2b(input: string | Uint8Array, length: number): string {
  const bytes = typeof input === 'string' ? Buffer.from(input, 'utf8') : input;
  const state = [...iv];
  state[0] = at(state, 0) ^ 0x01010000n ^ BigInt(length);
  const blocks = Math.max(1, Math.ceil(bytes.length / 128));
  for (let index = 0; index < blocks; index++) {
    const block = Buffer.alloc(128);
    block.set(bytes.subarray(index * 128, index * 128 + 128));
    const isLast = index === blocks - 1;
    compress(state, block, BigInt(isLast ? bytes.length : (index + 1) * 128), isLast);
  }
  const digest = Buffer.alloc(64);
  state.forEach((word, index) => digest.writeBigUInt64LE(word, index * 8));
  return digest.toString('hex', 0, length);
}

function compress(state: bigint[], block: Buffer, count: bigint, isLast: boolean): void {
  const words = Array.from({ length: 16 }, (_, index) => block.readBigUInt64LE(index * 8));
  const v = [...state, ...iv];
  v[12] = at(v, 12) ^ count;
  if (isLast) v[14] = at(v, 14) ^ mask;
  for (let round = 0; round < 12; round++) {
    const order = sigma[round % 10] ?? [];
    columnsAndDiagonals.forEach(([a, b, c, d], index) => {
      const x = at(words, order[index * 2] ?? 0);
      const y = at(words, order[index * 2 + 1] ?? 0);
      v[a] = (at(v, a) + at(v, b) + x) & mask;
      v[d] = rotate(at(v, d) ^ at(v, a), 32n);
      v[c] = (at(v, c) + at(v, d)) & mask;
      v[b] = rotate(at(v, b) ^ at(v, c), 24n);
      v[a] = (at(v, a) + at(v, b) + y) & mask;
      v[d] = rotate(at(v, d) ^ at(v, a), 16n);
      v[c] = (at(v, c) + at(v, d)) & mask;
      v[b] = rotate(at(v, b) ^ at(v, c), 63n);
    });
  }
  for (let index = 0; index < 8; index++) state[index] = at(state, index) ^ at(v, index) ^ at(v, index + 8);
}

const rotate = (word: bigint, bits: bigint) => ((word >> bits) | (word << (64n - bits))) & mask;
const at = (words: readonly bigint[], index: number) => words[index] ?? 0n;
