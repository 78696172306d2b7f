import sharp from 'sharp';
import { cropImage, prepareImage } from './model-images';

const make = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#336699' } });

test('an image that models accept is sent unchanged', async () => {
  const bytes = await make(40, 20).jpeg().toBuffer();
  expect(await prepareImage({ bytes, mimetype: 'image/jpeg' })).toEqual({ bytes, mimetype: 'image/jpeg' });
});

test('larger ones are scaled down, other formats become PNG', async () => {
  const large = await prepareImage({ bytes: await make(4_096, 1_024).png().toBuffer(), mimetype: 'image/png' });
  expect(await sharp(large.bytes).metadata()).toMatchObject({ format: 'png', width: 2_048, height: 512 });
  const other = await prepareImage({ bytes: await make(10, 10).tiff().toBuffer(), mimetype: 'image/tiff' });
  expect(other.mimetype).toBe('image/png');
  expect(await sharp(other.bytes).metadata()).toMatchObject({ format: 'png', width: 10 });
});

test('a broken image is reported', async () => {
  await expect(prepareImage({ bytes: Uint8Array.of(1, 2, 3), mimetype: 'image/x-emf' })).rejects.toMatchObject({
    code: 'DOCUMENT_CORRUPT',
    message: expect.stringContaining('image/x-emf') as string,
  });
});

test('a part is cut out', async () => {
  const part = await cropImage(await make(40, 20).png().toBuffer(), { left: 5, top: 6, width: 7, height: 8 });
  expect(await sharp(part).metadata()).toMatchObject({ width: 7, height: 8 });
});
