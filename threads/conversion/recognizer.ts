import type { ErrorCode } from '../../model/errors';
import type { OcrOptions } from '../../model/page/ocr';
import { createOcr, type Ocr } from '../../services/image/ocr';
import { createOcrByPage } from '../../services/image/ocr-by-page';
import { chooseOcrEngine, type OcrEngine } from '../../services/image/ocr-engines';
import { createPpOcr } from '../../services/image/ppocr/ppocr';

/** How text is recognized. */
export interface RecognizerOptions {
  mode: 'never' | OcrOptions['mode'];
  languages: readonly string[];
  modelsFolder?: string | undefined;
  /** A value of `ocr_preset`. Default: `auto`. */
  engine?: string | undefined;
  keepsWords?: boolean | undefined;
}

type Opened = Pick<RecognizerOptions, 'languages'> & { modelsFolder: string | undefined };

const openers: Record<OcrEngine, (options: Opened) => Ocr> = {
  tesseract: createOcr,
  ppocr: createPpOcr,
  'by page': (options) => createOcrByPage({ usual: createOcr(options), poor: createPpOcr(options) }),
};

let cached: { key: string; ocr: Ocr } | undefined;

/** Text recognition for one document. */
export interface Recognition {
  ocr?: OcrOptions;
  /** Problems to report after the conversion: languages without data, if any text had to be recognized. */
  problems: () => { code: ErrorCode; message: string }[];
}

/**
 * Returns the recognizer of this thread. It takes a second to start, so it is kept for the next document with the same
 * languages and engine.
 */
export async function openRecognizer({
  mode,
  languages,
  modelsFolder,
  engine,
  keepsWords = false,
}: RecognizerOptions): Promise<Recognition> {
  if (mode === 'never') return { problems: () => [] };
  const chosen = chooseOcrEngine(engine, languages, modelsFolder);
  const key = JSON.stringify([chosen, languages, modelsFolder]);
  if (cached?.key !== key) {
    await cached?.ocr.close();
    cached = { key, ocr: openers[chosen]({ languages, modelsFolder }) };
  }
  const { ocr } = cached;
  let isAsked = false;
  return {
    ocr: {
      mode,
      keepsWords,
      recognize: (image, scale) => {
        isAsked = true;
        return ocr.recognize(image, scale);
      },
    },
    problems: () =>
      isAsked && ocr.listMissingLanguages().length > 0 ? [getMissingLanguages(ocr.listMissingLanguages())] : [],
  };
}

function getMissingLanguages(codes: readonly string[]): { code: ErrorCode; message: string } {
  return {
    code: 'OPTIONAL_PACKAGE_MISSING',
    message: `Text recognition has no data for ${codes.join(', ')} where documents are converted; text in these languages is not read, or read as another language.`,
  };
}
