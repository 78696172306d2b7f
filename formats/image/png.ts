import { crc32, deflateSync } from 'node:zlib';

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Fast compression: most images are used once and not kept for long. */
const compressionLevel = 3;

/** Writes a PNG (RFC 2083) from RGB pixels of three bytes each, row by row. */
export function writePng(rgb: Uint8Array, width: number, height: number): Uint8Array {
  const stride = width * 3;
  const rows = new Uint8Array(height * (stride + 1));
  // Each row is stored as differences to the pixel on the left (filter 1), which suits drawings and text.
  for (let y = 0; y < height; y += 1) {
    const to = y * (stride + 1);
    const from = y * stride;
    rows[to] = 1;
    for (let x = 0; x < stride; x += 1)
      rows[to + 1 + x] = ((rgb[from + x] as number) - (x < 3 ? 0 : (rgb[from + x - 3] as number))) & 0xff;
  }
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  // Eight bits, RGB, and the only methods of compression, filtering and order.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Uint8Array.from(signature),
    buildChunk('IHDR', header),
    buildChunk('IDAT', deflateSync(rows, { level: compressionLevel })),
    buildChunk('IEND', new Uint8Array(0)),
  ]);
}

/** Frames data with its length, type and checksum. */
function buildChunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
