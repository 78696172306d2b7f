import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { readModelsFolder } from '../../../embedded/paths';
import { recognitionPack } from '../../../model/llm/model-packs';
import { findTextModels } from '../../../services/image/ppocr/models';
import { receiptArticles, receiptTitle, scanReceipt } from '../../support/documents/scan-receipt';

const root = path.join(__dirname, '..', '..', '..');
const { build } = require(path.join(root, 'scripts', 'build.js')) as { build: () => number };
const installed = readModelsFolder(process.env);
/** The models are 25 MB: the tests that read with them run where the pack is installed. */
const describeWithPack = findTextModels(installed) ? describe : describe.skip;

let folder = '';
beforeAll(() => {
  build();
  folder = mkdtempSync(path.join(tmpdir(), 'ppocr-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function convert(models: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [path.join(root, 'bin', 'docloom'), 'convert', ...args, '--output', folder],
      { cwd: folder, env: { ...process.env, DOCLOOM_MODELS_FOLDER: models } },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

test('without the pack, the engine is refused with how to install it', async () => {
  writeFileSync(path.join(folder, 'page.png'), await scanReceipt());
  const { code, stderr } = await convert(path.join(folder, 'empty'), 'page.png', '--ocr-engine', 'ppocr');
  expect([code, stderr]).toEqual([2, expect.stringContaining('docloom models add pp-ocrv5')]);
  const other = await convert(path.join(folder, 'empty'), 'page.png', '--ocr-engine', 'ppocr', '--ocr', 'never');
  expect(other.code).toBe(0);
});

test('a damaged pack is reported with its code, and the page is not taken for an empty one', async () => {
  const models = path.join(folder, 'damaged');
  mkdirSync(path.join(models, recognitionPack.name), { recursive: true });
  for (const { to } of recognitionPack.files) writeFileSync(path.join(models, recognitionPack.name, to), 'no model');
  writeFileSync(path.join(folder, 'page.png'), await scanReceipt());
  const { code, stdout } = await convert(models, 'page.png', '--ocr-engine', 'ppocr');
  expect([code, stdout]).toEqual([3, expect.stringContaining('PAGE_MODEL_INVALID')]);
});

describeWithPack('with the pack', () => {
  test('a coarse receipt is read: its words, and amounts with their commas', async () => {
    writeFileSync(path.join(folder, 'receipt.png'), await scanReceipt());
    const { code, stderr } = await convert(installed, 'receipt.png', '--ocr-engine', 'ppocr');
    // A busy machine also shows the progress.
    expect([code, stderr.replace(/^receipt\.png: 1 of 1 pages\n/gm, '')]).toEqual([0, '']);
    const markdown = readFileSync(path.join(folder, 'receipt.md'), 'utf8');
    expect(markdown).toContain(receiptTitle);
    for (const text of receiptArticles.flat()) expect(markdown).toContain(text);
  });

  test('auto reads a scan as ppocr does, also without a language, and one in French with Tesseract', async () => {
    writeFileSync(path.join(folder, 'receipt.png'), await scanReceipt());
    const read = async (...args: string[]) => {
      await convert(installed, 'receipt.png', ...args);
      return readFileSync(path.join(folder, 'receipt.md'), 'utf8');
    };
    const byModels = await read('--ocr-engine', 'ppocr');
    expect(await read()).toBe(byModels);
    expect(await read('--ocr-lang', 'en')).toBe(byModels);
    expect(await read('--ocr-lang', 'en,fr')).toBe(await read('--ocr-engine', 'tesseract', '--ocr-lang', 'en,fr'));
  });

  test('a page that is upside down, on its side or turned a little is read as well', async () => {
    const receipt = await scanReceipt();
    for (const angle of [90, 180, 270, 3]) {
      const turned = await sharp(receipt).rotate(angle, { background: '#eeeeee' }).png().toBuffer();
      writeFileSync(path.join(folder, 'turned.png'), turned);
      expect(await convert(installed, 'turned.png', '--ocr-engine', 'ppocr')).toMatchObject({ code: 0 });
      const markdown = readFileSync(path.join(folder, 'turned.md'), 'utf8');
      expect([angle, markdown]).toEqual([
        angle,
        expect.stringMatching(/^#* ?Receipt of the harbour office[^]*Mooring lines[^]*86,95/),
      ]);
    }
  });

  test('pages without text, of noise, or of one pixel are read as pages without text', async () => {
    const noise = Uint8Array.from({ length: 300 * 200 }, (_, index) => (Math.imul(index, 2_654_435_761) >>> 24) & 255);
    const images = {
      blank: sharp({ create: { width: 800, height: 600, channels: 3, background: 'white' } }),
      black: sharp({ create: { width: 800, height: 600, channels: 3, background: 'black' } }),
      pixel: sharp({ create: { width: 1, height: 1, channels: 3, background: 'white' } }),
      strip: sharp({ create: { width: 6_000, height: 3, channels: 3, background: 'white' } }),
      noise: sharp(noise, { raw: { width: 300, height: 200, channels: 1 } }),
    };
    for (const [name, image] of Object.entries(images)) {
      writeFileSync(path.join(folder, `${name}.png`), await image.png().toBuffer());
      const { code, stdout } = await convert(installed, `${name}.png`, '--ocr-engine', 'ppocr');
      expect([name, code, stdout]).toEqual([name, 0, expect.not.stringContaining('ERROR')]);
    }
  });
});
