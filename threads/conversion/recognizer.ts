import type { ErrorCode } from '../../model/errors';
import type { OcrOptions } from '../../model/page/ocr';
import { createOcr, type Ocr } from '../../services/image/ocr';

/** What is known of the wanted recognition of text. */
export interface RecognizerOptions {
  mode: 'never' | OcrOptions['mode'];
  languages: readonly string[];
  modelsFolder?: string | undefined;
}

let kept: { key: string; ocr: Ocr } | undefined;

/** Recognition of one document. */
export interface Recognition {
  ocr?: OcrOptions;
  /** What to tell of it afterwards: languages without data, where text was to be read. */
  problems: () => { code: ErrorCode; message: string }[];
}

/** The recogniser of this thread, which is kept for the next document of the same languages; it takes a second to start. */
export async function recognizerFor({ mode, languages, modelsFolder }: RecognizerOptions): Promise<Recognition> {
  if (mode === 'never') return { problems: () => [] };
  const key = JSON.stringify([languages, modelsFolder]);
  if (kept?.key !== key) {
    await kept?.ocr.close();
    kept = { key, ocr: createOcr({ languages, modelsFolder }) };
  }
  const { ocr } = kept;
  let isAsked = false;
  return {
    ocr: {
      mode,
      recognize: (image) => {
        isAsked = true;
        return ocr.recognize(image);
      },
    },
    problems: () => (isAsked && ocr.missing().length > 0 ? [missingLanguages(ocr.missing())] : []),
  };
}

function missingLanguages(codes: readonly string[]): { code: ErrorCode; message: string } {
  const packages = codes.map((code) => `@tesseract.js-data/${code}`).join(', ');
  return {
    code: 'OPTIONAL_PACKAGE_MISSING',
    message: `Text of the languages ${codes.join(', ')} is not read, or read as another language. Its data is not installed where documents are converted (${packages}).`,
  };
}
