import { convertBytes } from '../../formats/convert';
import { isHeic, openHeic } from './heic';
import { openImage } from './images';

/** Two images of plain colours: red and blue, 64 by 32 pixels; green and white, 32 by 32. */
const sample = Buffer.from(
  [
    'AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAdNtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAADRpbG9jAAAA',
    'AERAAAIAAQAAAAAB9wABAAAAAAAAAIcAAgAAAAACfgABAAAAAAAAAPgAAAA4aWluZgAAAAAAAgAAABVpbmZlAgAAAAABAABodmMxAAAAABVpbmZl',
    'AgAAAAACAABodmMxAAAAAA5waXRtAAAAAAABAAABLGlwcnAAAAEFaXBjbwAAAHZodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH/',
    '/wNwAAADAJAAAAMAAAMAHroCQGEAAQAqQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbq5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFzwIkAAAAUaXNw',
    'ZQAAAAAAAABAAAAAQAAAAChjbGFwAAAAQAAAAAEAAAAgAAAAAQAAAAAAAAAC////4AAAAAIAAAAQcGl4aQAAAAADCAgIAAAAE2NvbHJuY2x4AAEA',
    'DQAGgAAAAChjbGFwAAAAIAAAAAEAAAAgAAAAAf///+AAAAAC////4AAAAAIAAAAfaXBtYQAAAAAAAAACAAEEgQIEgwACBYEFAgSGAAABh21kYXQA',
    'AACDKAGvCeA98yL///I/N//8sM7L+8XEV7//x1vDv9SWD//kFXphKDArh8lk5X86O69N7SfNFIsXpVdE5Sx/JXlgTR3PlJw8q7STuatHlmbTes7y',
    'VvKkVOrE7Dl629jWHJUnZhbEUzFaSIQIdToTy3v9pesLqD+nDf35qor5QXPYyPuGh44AAAD0KAGvCeAhOTQf//Jeb//yTH//aeHvC38u1Xd9N4t/',
    'udCMXCUA8VFm2RQi6xNVh+gtZ//ozHbywk2DQTamNRExM/d9nbd77qf5qjfhr5V8kS9QE35a0+b8sqJgcvh3t13EX6FaAGaOQ4APC4FjpqvPze4A',
    'BgyjdYHuYagLUO54vWqA+Vv6iPMMn7qm/CpXxhmQR6S9C0AqXDgwYYglRyXRD3m4ytaKdsBABvsTjkiFSxb2Gi6P5jE+lWHA6sLCwJbg3c0VVJfs',
    'DyOR8q7mmEWYgco1uYu6/ENjYLejMBJfLPxW57pjuh+f4efe0v8BfrH+uXrYUA==',
  ].join(''),
  'base64',
);
const maxPixels = 10_000;

/** The colour of a pixel: the channels that are bright. */
function colorAt({ rgba, width }: { rgba: Uint8Array; width: number }, x: number, y: number): string {
  const at = 4 * (y * width + x);
  return ['red', 'green', 'blue'].filter((_, channel) => rgba[at + channel]! > 90).join('+');
}

test('the images of a HEIC file have their sizes and colours', async () => {
  const file = await openHeic(sample, 'a.heic', maxPixels);
  expect(file.pages).toBe(2);
  const first = await file.decodePage(1);
  expect([first.width, first.height, first.hasAlpha]).toEqual([64, 32, false]);
  expect([colorAt(first, 8, 8), colorAt(first, 56, 24)]).toEqual(['red', 'blue']);
  const second = await file.decodePage(2);
  expect([second.width, second.height]).toEqual([32, 32]);
  expect([colorAt(second, 4, 16), colorAt(second, 28, 16)]).toEqual(['green', 'red+green+blue']);
});

test('the brand distinguishes HEIC from other files with the same container', () => {
  const brands = (...names: string[]) => {
    const head = Buffer.alloc(16 + 4 * (names.length - 1));
    head.writeUInt32BE(head.length, 0);
    head.write(`ftyp${names[0]}`, 4, 'latin1');
    names.slice(1).forEach((name, index) => head.write(name, 16 + 4 * index, 'latin1'));
    return head;
  };
  expect(isHeic(sample)).toBe(true);
  expect(isHeic(brands('mif1', 'miaf', 'heic'))).toBe(true);
  expect(isHeic(brands('mif1', 'avif'))).toBe(false);
  expect(isHeic(brands('avif', 'mif1'))).toBe(false);
  expect(isHeic(brands('isom'))).toBe(false);
  expect(isHeic(Buffer.from('ftyp'))).toBe(false);
});

test('files that end early, are damaged or too large are refused with a code', async () => {
  for (let length = 24; length < sample.length; length += 97)
    await expect(openHeic(sample.subarray(0, length), 'a.heic', maxPixels)).rejects.toMatchObject({
      code: 'DOCUMENT_CORRUPT',
    });
  const noise = Buffer.from(sample);
  noise.fill(0x55, 40, 200);
  await expect(openHeic(noise, 'a.heic', maxPixels)).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
  const file = await openHeic(sample, 'a.heic', 2_000);
  await expect(file.decodePage(1)).rejects.toMatchObject({
    code: 'DOCUMENT_TOO_LARGE',
    message: "'a.heic' has more than 2,000 pixels.",
  });
  expect((await file.decodePage(2)).width).toBe(32);
});

test('a HEIC file becomes a document with a page for each image, whatever its name', async () => {
  const { document, format, warnings } = await convertBytes({ bytes: sample, name: 'photo', openImage });
  expect(format).toBe('image');
  expect(Object.values(document.pages).map(({ size }) => size)).toEqual([
    { width: 64, height: 32 },
    { width: 32, height: 32 },
  ]);
  expect(document.pictures).toHaveLength(2);
  expect(warnings).toEqual(['the text of images is not read: text recognition is off']);
});
