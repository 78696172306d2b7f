import type { ConvertOptions } from '../../model/conversion/request/options';
import { AppError } from '../../model/errors';
import { chooseOcrEngine, hasTextModels } from '../../services/image/ocr-engines';
import { separateLanguages } from '../../services/image/ocr-languages';
import { listUnknownLanguages } from '../../services/image/ppocr/languages';
import { RequestError } from './http/request-error';

/**
 * Describes the requested OCR languages that are not installed. Throws RequestError 422 if none of them is installed, because
 * the text would be lost, and if the engine ppocr is requested but not installed.
 */
export function listRecognitionNotes(options: ConvertOptions, modelsFolder: string | undefined): string[] {
  const { do_ocr: usesOcr, force_ocr: isForced, ocr_lang: languages, ocr_preset: preset } = options;
  if (!usesOcr && !isForced) return [];
  if (preset === 'ppocr' && !hasTextModels(modelsFolder))
    throw new RequestError(
      422,
      'ocr_preset: the text recognition ppocr is not installed on this server. Ask its administrator to add its model pack, or use auto.',
    );
  if (!languages || languages.length === 0) return [];
  if (readLanguages(() => chooseOcrEngine(preset, languages, modelsFolder)) === 'ppocr')
    return noteUnknownLanguages(languages);
  const { present, absent } = readLanguages(() => separateLanguages(languages, modelsFolder));
  if (absent.length === 0) return [];
  const names = absent.join(', ');
  if (present.length === 0)
    throw new RequestError(
      422,
      `ocr_lang: text recognition has no data for ${names} on this server. Ask its administrator to install it, or set do_ocr to false.`,
    );
  return [`Text recognition has no data for ${names} on this server; ${present.join(', ')} was used.`];
}

function noteUnknownLanguages(languages: readonly string[]): string[] {
  const unknown = readLanguages(() => listUnknownLanguages(languages));
  return unknown.length === 0
    ? []
    : [
        `The text recognition ppocr was not trained for ${unknown.join(', ')}; its text may be read with other letters.`,
      ];
}

/** Invalid languages are a problem of the request. */
function readLanguages<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) throw new RequestError(422, `ocr_lang: ${error.message}`);
    throw error;
  }
}
