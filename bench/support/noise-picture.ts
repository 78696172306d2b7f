import { crc32, deflateSync } from 'node:zlib';
import type { Random } from './random';

/** A grey PNG of noise with about this many bytes: pictures make office files large, and noise cannot be compressed. */
export function noisePicture(random: Random, bytes: number): Uint8Array {
  const width = 256;
  const height = Math.max(1, Math.round(bytes / width));
  // Each line begins with its filter type, 0.
  const pixels = Buffer.alloc((width + 1) * height);
  for (let line = 0; line < height; line++)
    for (let x = 1; x <= width; x++) pixels[line * (width + 1) + x] = random.integer(0, 255);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
