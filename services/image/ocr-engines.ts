import { separateLanguages } from './ocr-languages';
import { hasIdeographs, listUnknownLanguages } from './ppocr/languages';
import { findTextModels } from './ppocr/models';

/** The engines of text recognition that run here; `by page` is `ppocr` for photos and coarse scans, and Tesseract for others. */
export type OcrEngine = 'tesseract' | 'ppocr' | 'by page';

/**
 * The engine for a value of `ocr_preset`. With its pack, `ppocr` is the engine of `auto` for Chinese and Japanese without data of
 * Tesseract, and for photos and coarse scans in English. Clients of other services ask for the same models as `rapidocr`, without knowing whether they are installed; other names,
 * which these services know, get Tesseract. Throws VALIDATION_ERROR for invalid languages.
 */
export function chooseOcrEngine(
  preset: string | undefined,
  languages: readonly string[],
  modelsFolder: string | undefined,
): OcrEngine {
  if (preset === 'ppocr') return 'ppocr';
  const isAuto = preset === undefined || preset === 'auto';
  if (!(isAuto || preset === 'rapidocr') || !hasTextModels(modelsFolder)) return 'tesseract';
  if (!isAuto || readsMore(languages, modelsFolder)) return 'ppocr';
  return isEnglish(languages) ? 'by page' : 'tesseract';
}

/** True if all of the languages are those of both engines. */
function isEnglish(languages: readonly string[]): boolean {
  return !hasIdeographs(languages) && listUnknownLanguages(languages).length === 0;
}

/** True if `ppocr` knows all of the languages, and Tesseract has no data for Chinese or Japanese among them. */
function readsMore(languages: readonly string[], modelsFolder: string | undefined): boolean {
  const { absent } = separateLanguages(languages, modelsFolder);
  return hasIdeographs(absent) && listUnknownLanguages(languages).length === 0;
}

/** True if the model pack of `ppocr` is installed. */
export function hasTextModels(modelsFolder: string | undefined): boolean {
  return findTextModels(modelsFolder) !== undefined;
}
