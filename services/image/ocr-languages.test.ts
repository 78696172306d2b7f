import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { listCodes, readLanguageData, separateLanguages } from './ocr-languages';

test('lists of languages as clients write them are languages', () => {
  expect(listCodes(['eng,fra'])).toEqual(['eng', 'fra']);
  expect(listCodes(['eng, fra, deu, spa'])).toEqual(['eng', 'fra', 'deu', 'spa']);
  expect(listCodes(['en+de', 'zh-Hant', 'de-AT'])).toEqual(['eng', 'deu', 'chi_tra']);
  expect(listCodes(['auto'])).toEqual(['eng']);
  expect(() => listCodes(['../etc/passwd'])).toThrow('is not a text recognition language');
});

test('languages with and without data are distinguished, by packages and the models folder', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'docloom-tessdata-'));
  try {
    expect(separateLanguages(['eng, fra'], folder)).toEqual({ present: ['eng'], absent: ['fra'] });
    mkdirSync(path.join(folder, 'tessdata'));
    writeFileSync(path.join(folder, 'tessdata', 'fra.traineddata'), 'data');
    expect(separateLanguages(['eng, fra'], folder)).toEqual({ present: ['eng', 'fra'], absent: [] });
    expect((await readLanguageData('fra', folder)).length).toBeGreaterThan(4);
    await expect(readLanguageData('deu', folder)).rejects.toMatchObject({ code: 'OPTIONAL_PACKAGE_MISSING' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
