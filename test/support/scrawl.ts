import sharp from 'sharp';
import { createRandom } from '../../bench/support/random';

/** Lines of random strokes, like an unknown script. */
export async function drawScrawl(): Promise<Uint8Array> {
  const random = createRandom(7);
  const [size, columns, rows] = [36, 26, 30];
  const place = (index: number) => 60 + index * (size + 4);
  const strokes = Array.from({ length: columns * rows }, (_, index) => {
    const [x, y] = [place(index % columns), place(Math.floor(index / columns)) * 1.3];
    const at = () => `${x + random.integer(0, size)} ${y + random.integer(0, size)}`;
    return Array.from({ length: 8 }, () => `M${at()}L${at()}`).join('');
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1170" height="1720"><rect width="100%" height="100%" fill="#fff"/><path d="${strokes.join('')}" stroke="#000" stroke-width="3"/></svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}
