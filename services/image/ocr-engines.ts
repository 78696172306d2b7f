import { separateLanguages } from './ocr-languages';
import { hasIdeographs, listUnknownLanguages } from './ppocr/languages';
import { findTextModels } from './ppocr/models';

/** The engines of text recognition that run here. */
export type OcrEngine = 'tesseract' | 'ppocr';

/**
 * The engine for a value of `ocr_preset`. With its pack, `ppocr` is the engine of `auto` for Chinese and Japanese without data of
 * Tesseract. Clients of other services ask for the same models as `rapidocr`, without knowing whether they are installed; other names,
 * which these services know, get Tesseract. Throws VALIDATION_ERROR for invalid languages.
 */
export function chooseOcrEngine(
  preset: string | undefined,
  languages: readonly string[],
  modelsFolder: string | undefined,
): OcrEngine {
  if (preset === 'ppocr') return 'ppocr';
  const isAuto = preset === undefined || preset === 'auto';
  const isWanted = preset === 'rapidocr' || (isAuto && readsMore(languages, modelsFolder));
  return isWanted && hasTextModels(modelsFolder) ? 'ppocr' : 'tesseract';
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
