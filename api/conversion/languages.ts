import type { ConvertOptions } from '../../model/conversion/request/options';
import { AppError } from '../../model/errors';
import { separateLanguages } from '../../services/image/ocr-languages';
import { RequestError } from './http/request-error';

/**
 * Describes the requested OCR languages that are not installed. Throws RequestError 422 if none of them is installed, because
 * the text would be lost.
 */
export function listLanguageNotes(options: ConvertOptions, modelsFolder: string | undefined): string[] {
  const { do_ocr: usesOcr, force_ocr: isForced, ocr_lang: languages } = options;
  if ((!usesOcr && !isForced) || !languages || languages.length === 0) return [];
  const { present, absent } = sortRequestedLanguages(languages, modelsFolder);
  if (absent.length === 0) return [];
  const names = absent.join(', ');
  if (present.length === 0)
    throw new RequestError(
      422,
      `ocr_lang: text recognition has no data for ${names} on this server. Ask its administrator to install it, or set do_ocr to false.`,
    );
  return [`Text recognition has no data for ${names} on this server; ${present.join(', ')} was used.`];
}

function sortRequestedLanguages(
  languages: readonly string[],
  modelsFolder: string | undefined,
): ReturnType<typeof separateLanguages> {
  try {
    return separateLanguages(languages, modelsFolder);
  } catch (error) {
    if (error instanceof AppError) throw new RequestError(422, `ocr_lang: ${error.message}`);
    throw error;
  }
}
