import type { OcrOptions } from '../model/ocr';
import { createOcr, type Ocr } from '../services/ocr';

/** What is known of the wanted recognition of text. */
export interface RecognizerOptions {
  mode: 'never' | OcrOptions['mode'];
  languages: readonly string[];
  modelsFolder?: string | undefined;
}

let kept: { key: string; ocr: Ocr } | undefined;

/** The recogniser of this thread, which is kept for the next document of the same languages; it takes a second to start. */
export async function recognizerFor({
  mode,
  languages,
  modelsFolder,
}: RecognizerOptions): Promise<{ ocr?: OcrOptions }> {
  if (mode === 'never') return {};
  const key = JSON.stringify([languages, modelsFolder]);
  if (kept?.key !== key) {
    await kept?.ocr.close();
    kept = { key, ocr: createOcr({ languages, modelsFolder }) };
  }
  return { ocr: { mode, recognize: kept.ocr.recognize } };
}
