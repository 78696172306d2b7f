// RFC 7693 uses 64-bit words. Each is stored as two 32-bit words, lower half first, which is much faster than BigInt.
const iv = Uint32Array.of(
  0xf3bcc908,
  0x6a09e667,
  0x84caa73b,
  0xbb67ae85,
  0xfe94f82b,
  0x3c6ef372,
  0x5f1d36f1,
  0xa54ff53a,
  0xade682d1,
  0x510e527f,
  0x2b3e6c1f,
  0x9b05688c,
  0xfb41bd6b,
  0x1f83d9ab,
  0x137e2179,
  0x5be0cd19,
);
// RFC 7693, section 2.7; rounds 10 and 11 repeat the first two.
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
].map((row) => Uint8Array.from(row, (digit) => Number.parseInt(digit, 16)));
// Indexes of a, b, c and d in the eight steps of a round: columns, then diagonals.
const places = Uint8Array.from('048c159d26ae37bf05af16bc278d349e', (digit) => Number.parseInt(digit, 16));
const blockBytes = 128;

/**
 * BLAKE2b with a digest of `length` bytes (RFC 7693), as hex. Node supports only 64 bytes, and a shorter digest is not a prefix
 * of it.
 */
export function hashBlake2b(input: string | Uint8Array, length: number): string {
  const bytes = typeof input === 'string' ? Buffer.from(input, 'utf8') : input;
  const state = iv.slice();
  state[0] = (iv[0] ?? 0) ^ 0x01010000 ^ length;
  const block = new Uint8Array(blockBytes);
  const words = new DataView(block.buffer);
  const message = new Uint32Array(32);
  const blocks = Math.max(1, Math.ceil(bytes.length / blockBytes));
  for (let index = 0; index < blocks; index++) {
    const part = bytes.subarray(index * blockBytes, (index + 1) * blockBytes);
    block.fill(0).set(part);
    for (let word = 0; word < 32; word++) message[word] = words.getUint32(word * 4, true);
    const isLast = index === blocks - 1;
    compress(state, message, isLast ? bytes.length : (index + 1) * blockBytes, isLast);
  }
  const digest = Buffer.alloc(64);
  state.forEach((word, index) => digest.writeUInt32LE(word, index * 4));
  return digest.subarray(0, length).toString('hex');
}

const work = new Uint32Array(32);

function compress(state: Uint32Array, message: Uint32Array, counted: number, isLast: boolean): void {
  work.set(state);
  work.set(iv, 16);
  work[24] = (work[24] ?? 0) ^ counted;
  work[25] = (work[25] ?? 0) ^ Math.floor(counted / 2 ** 32);
  if (isLast) {
    work[28] = ~(work[28] ?? 0);
    work[29] = ~(work[29] ?? 0);
  }
  for (let round = 0; round < 12; round++) {
    const order = sigma[round % 10] ?? new Uint8Array(16);
    for (let step = 0; step < 8; step++) mix(step * 4, message, order[step * 2] ?? 0, order[step * 2 + 1] ?? 0);
  }
  for (let word = 0; word < 16; word++) state[word] = (state[word] ?? 0) ^ (work[word] ?? 0) ^ (work[word + 16] ?? 0);
}

// The function G of the RFC, with the low and high halves of a, b, c and d in local variables.
function mix(at: number, message: Uint32Array, x: number, y: number): void {
  const [pa, pb] = [(places[at] ?? 0) * 2, (places[at + 1] ?? 0) * 2];
  const [pc, pd] = [(places[at + 2] ?? 0) * 2, (places[at + 3] ?? 0) * 2];
  let al = work[pa] ?? 0;
  let ah = work[pa + 1] ?? 0;
  let bl = work[pb] ?? 0;
  let bh = work[pb + 1] ?? 0;
  let cl = work[pc] ?? 0;
  let ch = work[pc + 1] ?? 0;
  let dl = work[pd] ?? 0;
  let dh = work[pd + 1] ?? 0;
  for (let half = 0; half < 2; half++) {
    const word = (half === 0 ? x : y) * 2;
    let sum = (al >>> 0) + (bl >>> 0) + (message[word] ?? 0);
    ah = (ah + bh + (message[word + 1] ?? 0) + (sum > 0xffffffff ? (sum >= 0x200000000 ? 2 : 1) : 0)) | 0;
    al = sum | 0;
    const [xl, xh] = [dl ^ al, dh ^ ah];
    dl = half === 0 ? xh : (xl >>> 16) | (xh << 16);
    dh = half === 0 ? xl : (xh >>> 16) | (xl << 16);
    sum = (cl >>> 0) + (dl >>> 0);
    ch = (ch + dh + (sum > 0xffffffff ? 1 : 0)) | 0;
    cl = sum | 0;
    const [yl, yh] = [bl ^ cl, bh ^ ch];
    bl = half === 0 ? (yl >>> 24) | (yh << 8) : (yl << 1) | (yh >>> 31);
    bh = half === 0 ? (yh >>> 24) | (yl << 8) : (yh << 1) | (yl >>> 31);
  }
  work[pa] = al;
  work[pa + 1] = ah;
  work[pb] = bl;
  work[pb + 1] = bh;
  work[pc] = cl;
  work[pc + 1] = ch;
  work[pd] = dl;
  work[pd + 1] = dh;
}
