/** Characters of code page 37 by byte, as Latin-1 codes. */
const codePage37 =
  '000102039c09867f978d8e0b0c0d0e0f101112139d8508871819928f1c1d1e1f' +
  '80818283840a171b88898a8b8c050607909116939495960498999a9b14159e1a' +
  '20a0e2e4e0e1e3e5e7f1a22e3c282b7c26e9eaebe8edeeefecdf21242a293bac' +
  '2d2fc2c4c0c1c3c5c7d1a62c255f3e3ff8c9cacbc8cdcecfcc603a2340273d22' +
  'd8616263646566676869abbbf0fdfeb1b06a6b6c6d6e6f707172aabae6b8c6a4' +
  'b57e737475767778797aa1bfd0dddeae5ea3a5b7a9a7b6bcbdbe5b5dafa8b4d7' +
  '7b414243444546474849adf4f6f2f3f57d4a4b4c4d4e4f505152b9fbfcf9faff' +
  '5cf7535455565758595ab2d4d6d2d3d530313233343536373839b3dbdcd9da9f';

type Change = readonly [byte: number, character: number];

/** Differences of the other code pages from 37. */
const changes: Readonly<Record<string, readonly Change[]>> = {
  cp037: [],
  cp500: [
    [0x4a, 0x5b],
    [0x4f, 0x21],
    [0x5a, 0x5d],
    [0x5f, 0x5e],
    [0xb0, 0xa2],
    [0xba, 0xac],
    [0xbb, 0x7c],
  ],
  cp1047: [
    [0x5f, 0x5e],
    [0xad, 0x5b],
    [0xb0, 0xac],
    [0xba, 0xdd],
    [0xbb, 0xa8],
    [0xbd, 0x5d],
  ],
  cp1140: [[0x9f, 0x20ac]],
  cp273: [
    [0x43, 0x7b],
    [0x4a, 0xc4],
    [0x4f, 0x21],
    [0x59, 0x7e],
    [0x5a, 0xdc],
    [0x5f, 0x5e],
    [0x63, 0x5b],
    [0x6a, 0xf6],
    [0x7c, 0xa7],
    [0xa1, 0xdf],
    [0xb0, 0xa2],
    [0xb5, 0x40],
    [0xba, 0xac],
    [0xbb, 0x7c],
    [0xbc, 0x203e],
    [0xc0, 0xe4],
    [0xcc, 0xa6],
    [0xd0, 0xfc],
    [0xdc, 0x7d],
    [0xe0, 0xd6],
    [0xec, 0x5c],
    [0xfc, 0x5d],
  ],
};

/** Names of the supported code pages. */
export const codePages: readonly string[] = Object.keys(changes);

/** Finds a code page by name, written as `cp037`, `CP37`, `IBM-037` or `037`; undefined if it is unknown. */
export function findCodePage(name: string): string | undefined {
  const number = /^(?:cp|ibm|ebcdic-cp|ebcdic)?[-_ ]?0*(\d+)$/i.exec(name.trim())?.[1];
  return codePages.find((page) => Number(page.slice(2)) === Number(number));
}

/** All 256 characters by byte, for each code page used so far. */
const tables = new Map<string, string>();

function buildTable(codePage: string): string {
  const characters = Array.from(Buffer.from(codePage37, 'hex').toString('latin1'));
  for (const [byte, character] of changes[codePage] ?? []) characters[byte] = String.fromCharCode(character);
  return characters.join('');
}

/** Decodes bytes in one of `codePages`. The new-line character of mainframes is U+0085. */
export function decodeEbcdic(bytes: Uint8Array, codePage: string): string {
  const table = tables.get(codePage) ?? buildTable(codePage);
  tables.set(codePage, table);
  let text = '';
  for (const byte of bytes) text += table[byte]!;
  return text;
}
