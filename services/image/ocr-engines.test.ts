import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { recognitionPack } from '../../model/llm/model-packs';
import { chooseOcrEngine } from './ocr-engines';

const withPack = mkdtempSync(path.join(tmpdir(), 'ocr-engines-'));
beforeAll(() => {
  mkdirSync(path.join(withPack, recognitionPack.name));
  for (const { to } of recognitionPack.files) writeFileSync(path.join(withPack, recognitionPack.name, to), 'x');
});
afterAll(() => rmSync(withPack, { recursive: true }));

test('without the pack, every name but ppocr gets Tesseract', () => {
  for (const preset of [undefined, 'auto', 'rapidocr', 'tesseract', 'easyocr'])
    expect(chooseOcrEngine(preset, ['zh'], path.join(withPack, 'none'))).toBe('tesseract');
  expect(chooseOcrEngine('ppocr', ['zh'], undefined)).toBe('ppocr');
});

test('with the pack, auto reads Chinese and Japanese without data of Tesseract with ppocr, if it knows all languages, and English by page', () => {
  const choose = (languages: string[]) => chooseOcrEngine('auto', languages, withPack);
  expect([['zh'], ['ja', 'en'], ['chi_tra'], ['zh-Hant,eng']].map(choose)).toEqual([
    'ppocr',
    'ppocr',
    'ppocr',
    'ppocr',
  ]);
  expect([['zh', 'fr'], ['de'], ['en', 'de']].map(choose)).toEqual(['tesseract', 'tesseract', 'tesseract']);
  expect([['en'], ['eng', 'auto'], []].map(choose)).toEqual(['by page', 'by page', 'by page']);
  expect(chooseOcrEngine('tesseract', ['zh'], withPack)).toBe('tesseract');
  mkdirSync(path.join(withPack, 'tessdata'));
  writeFileSync(path.join(withPack, 'tessdata', 'chi_sim.traineddata'), 'x');
  expect([['zh'], ['zh', 'ja'], ['ja']].map(choose)).toEqual(['tesseract', 'ppocr', 'ppocr']);
  expect(chooseOcrEngine('rapidocr', ['de'], withPack)).toBe('ppocr');
});
