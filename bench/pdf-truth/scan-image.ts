import Pdf from 'pdfkit';
import sharp from 'sharp';
import { openReader } from '../../formats/pdf/engine/reader';
import type { Random } from '../support/random';

/**
 * How a page becomes an image: degraded as by a scanner, by a scanner with little ink left on the page, or as a photo with a shadow, in
 * a PDF file; or sharp as on a screen, in a file of its own.
 */
export interface ScanSettings {
  dpi: number;
  from: 'scanner' | 'pale print' | 'phone' | 'screen';
  /** The page lies on its side, or upside down. */
  isTurned?: boolean;
  /** Of the text; default: English. */
  languages?: string[];
}

interface Look {
  /** The page is turned by at most this many degrees to either side, and slanted by at most this share. */
  turn: number;
  slant: number;
  blur: { least: number; more: number };
  /** Brightness of ink and paper. */
  ink: [least: number, most: number];
  paper: [least: number, most: number];
  noise: [least: number, most: number];
  quality: [least: number, most: number];
  /** How much light the darkest corner lacks. */
  shadow: [least: number, most: number] | undefined;
}

const scanner: Look = {
  turn: 1,
  slant: 0,
  blur: { least: 0.3, more: 0.5 },
  ink: [40, 40],
  paper: [225, 250],
  noise: [6, 22],
  quality: [45, 80],
  shadow: undefined,
};
const looks: Record<Exclude<ScanSettings['from'], 'screen'>, Look> = {
  scanner,
  'pale print': { ...scanner, ink: [110, 150], paper: [215, 240], noise: [8, 24], quality: [30, 60] },
  phone: {
    turn: 3,
    slant: 0.015,
    blur: { least: 0.4, more: 0.6 },
    ink: [45, 80],
    paper: [200, 235],
    noise: [8, 20],
    quality: [40, 75],
    shadow: [0.2, 0.45],
  },
};

/** The file of a page that is an image. */
export async function drawAsImage(
  pdf: Uint8Array,
  random: Random,
  { dpi, from, isTurned = false }: ScanSettings,
): Promise<{ bytes: Uint8Array; extension: 'pdf' | 'png' }> {
  const reader = await openReader(pdf, 'page.pdf');
  const drawn = await reader.render(1, dpi / 72).finally(() => reader.close());
  if (from === 'screen') return { bytes: drawn.png, extension: 'png' };
  const image = await degrade(drawn, random, looks[from]);
  const turned = isTurned
    ? await sharp(image)
        .rotate(90 * random.integer(1, 3))
        .toBuffer()
    : image;
  return { bytes: await writeFile(turned, dpi), extension: 'pdf' };
}

/** The page turned a little, blurred, uneven, with noise, as a JPEG. */
async function degrade(
  { png, width, height }: { png: Uint8Array; width: number; height: number },
  random: Random,
  look: Look,
): Promise<Uint8Array> {
  const noise = Buffer.alloc(width * height);
  const strength = random.integer(...look.noise);
  for (let index = 0; index < noise.length; index += 1) noise[index] = 255 - Math.floor(strength * random.next() ** 2);
  const paper = random.integer(...look.paper);
  const angle = (random.next() - 0.5) * 2 * look.turn;
  const blur = look.blur.least + look.blur.more * random.next();
  const ink = look.ink[0] === look.ink[1] ? look.ink[0] : random.integer(...look.ink);
  const slanted = look.slant > 0 ? await slant(png, (random.next() - 0.5) * 2 * look.slant) : png;
  const overlays = [noise, ...(look.shadow ? [drawShadow({ width, height }, random, look.shadow)] : [])];
  return sharp(slanted)
    .rotate(angle, { background: 'white' })
    .resize(width, height, { fit: 'cover' })
    .greyscale()
    .blur(blur)
    .linear((paper - ink) / 255, ink)
    .composite(overlays.map((input) => ({ input, raw: { width, height, channels: 1 }, blend: 'multiply' as const })))
    .jpeg({ quality: random.integer(...look.quality) })
    .toBuffer();
}

/** Lines no longer stand at right angles to the edges of the page. */
function slant(png: Uint8Array, share: number): Promise<Uint8Array> {
  return sharp(png)
    .affine(
      [
        [1, share],
        [0, 1],
      ],
      { background: 'white' },
    )
    .toBuffer();
}

/** The light becomes less across the page, most of it within a third of the way. */
function drawShadow(
  { width, height }: { width: number; height: number },
  random: Random,
  [least, most]: [number, number],
): Buffer {
  const depth = least + (most - least) * random.next();
  const direction = 2 * Math.PI * random.next();
  const [across, down] = [Math.cos(direction) / width, Math.sin(direction) / height];
  const edge = 0.4 * (random.next() - 0.5);
  const shadow = Buffer.alloc(width * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const way = across * (x - width / 2) + down * (y - height / 2) - edge;
      const share = Math.min(1, Math.max(0, 3 * way + 0.5));
      shadow[y * width + x] = Math.round(255 * (1 - depth * share * share * (3 - 2 * share)));
    }
  return shadow;
}

/** A file that holds nothing but the picture of the page. */
async function writeFile(image: Uint8Array, dpi: number): Promise<Uint8Array> {
  const { width, height } = await sharp(image).metadata();
  const [wide, high] = [(width * 72) / dpi, (height * 72) / dpi];
  return new Promise((resolve, reject) => {
    const file = new Pdf({ size: [wide, high], margin: 0, info: { CreationDate: new Date(0) } });
    const parts: Buffer[] = [];
    file.on('data', (part: Buffer) => parts.push(part));
    file.on('end', () => resolve(new Uint8Array(Buffer.concat(parts))));
    file.on('error', reject);
    file.image(Buffer.from(image), 0, 0, { width: wide, height: high }).end();
  });
}
