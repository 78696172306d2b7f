import { findTextModels } from './ppocr/models';

/** The engines of text recognition that run here. */
export type OcrEngine = 'tesseract' | 'ppocr';

/**
 * The engine for a value of `ocr_preset`. Clients of other services ask for the same models as `rapidocr`, without knowing whether they
 * are installed; other names, which these services know, get Tesseract.
 */
export function chooseOcrEngine(preset: string | undefined, modelsFolder: string | undefined): OcrEngine {
  if (preset === 'rapidocr') return hasTextModels(modelsFolder) ? 'ppocr' : 'tesseract';
  return preset === 'ppocr' ? 'ppocr' : 'tesseract';
}

/** True if the model pack of `ppocr` is installed. */
export function hasTextModels(modelsFolder: string | undefined): boolean {
  return findTextModels(modelsFolder) !== undefined;
}
