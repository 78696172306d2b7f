import { AppError } from '../../model/errors';
import { listLanguagePackages, separateLanguages } from '../../services/image/ocr-languages';

/**
 * Writes a warning about OCR languages without data, while others have some; throws OPTIONAL_PACKAGE_MISSING if none has. Both
 * messages explain how to install the data.
 */
export function warnOfMissingLanguages(languages: readonly string[], modelsFolder: string | undefined): void {
  const { present, absent } = separateLanguages(languages, modelsFolder);
  if (absent.length === 0) return;
  const files = absent.map((code) => `${code}.traineddata`).join(', ');
  const how = `Install it with: npm install ${listLanguagePackages(absent).join(' ')} (or put ${files} into the folder tessdata of DOCLOOM_MODELS_FOLDER).`;
  const what = `Text recognition has no data for ${absent.join(', ')}`;
  if (present.length === 0) throw new AppError('OPTIONAL_PACKAGE_MISSING', `${what}. ${how}`);
  process.stderr.write(`warning: ${what}; ${present.join(', ')} is used. ${how}\n`);
}
