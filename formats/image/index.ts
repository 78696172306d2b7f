import type { Format } from '../format';

/** First bytes of PNG, JPEG, TIFF (both byte orders) and GIF. */
const signatures = [
  [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  [0xff, 0xd8, 0xff],
  [0x49, 0x49, 0x2a, 0x00],
  [0x4d, 0x4d, 0x00, 0x2a],
  [0x47, 0x49, 0x46, 0x38],
];

/** Images: PNG, JPEG, TIFF with all its pages, WEBP, AVIF, HEIC, BMP and GIF. Their text is read if OCR is available. */
export const image: Format = {
  name: 'image',
  label: 'image',
  mediaTypes: [
    'image/png',
    'image/jpeg',
    'image/tiff',
    'image/webp',
    'image/avif',
    'image/bmp',
    'image/gif',
    'image/heic',
    'image/heif',
  ],
  extensions: ['png', 'jpg', 'jpeg', 'tif', 'tiff', 'webp', 'avif', 'bmp', 'gif', 'heic', 'heif'],
  sniff: (head) =>
    signatures.some((signature) => signature.every((byte, at) => head[at] === byte)) ||
    isWebp(head) ||
    isAvifOrHeic(head) ||
    isBitmap(head),
  readsRange: true,
  load: () => import('./read'),
  loadDrawing: () => import('./draw'),
};

/** True for a RIFF container with `WEBP` after its length. */
function isWebp(head: Uint8Array): boolean {
  const text = Buffer.from(head.subarray(0, 12)).toString('latin1');
  return text.startsWith('RIFF') && text.endsWith('WEBP');
}

/** Checks the brand of the first box (ISO/IEC 23000-22, 23008-12): a picture or a sequence of pictures. */
function isAvifOrHeic(head: Uint8Array): boolean {
  return /^ftyp(?:avi[fs]|hei[cfmsx]|hev[cmsx]|mif1|msf1)$/.test(Buffer.from(head.subarray(4, 12)).toString('latin1'));
}

/** True for `BM` if the four reserved bytes after the length are zero. */
function isBitmap(head: Uint8Array): boolean {
  return head[0] === 0x42 && head[1] === 0x4d && [6, 7, 8, 9].every((at) => head[at] === 0);
}
