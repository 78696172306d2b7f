import { AppError } from '../../model/errors';
import { recognitionPack, tableStructurePack } from '../../model/llm/model-packs';
import { chooseOcrEngine, hasTextModels } from '../../services/image/ocr-engines';
import { listLanguagePackages, separateLanguages } from '../../services/image/ocr-languages';
import { listUnknownLanguages } from '../../services/image/ppocr/languages';
import { hasTableModel } from '../../services/image/slanet/table-model';
import type { Options } from './options';

/** Checks that the engine and the languages of text recognition are installed; throws OPTIONAL_PACKAGE_MISSING otherwise. */
export function checkRecognition(
  { ocrEngine: engine, ocrLang: languages }: Pick<Options, 'ocrEngine' | 'ocrLang'>,
  modelsFolder: string | undefined,
): void {
  if (chooseOcrEngine(engine, languages ?? [], modelsFolder) !== 'ppocr') {
    if (languages) warnOfMissingLanguages(languages, modelsFolder);
    return;
  }
  if (!hasTextModels(modelsFolder))
    throw new AppError(
      'OPTIONAL_PACKAGE_MISSING',
      `The text recognition ppocr is not installed. Install it with: docloom models add ${recognitionPack.name}`,
    );
  const unknown = listUnknownLanguages(languages ?? []);
  if (unknown.length > 0)
    process.stderr.write(
      `warning: The text recognition ppocr was not trained for ${unknown.join(', ')}; its text may be read with other letters.\n`,
    );
}

/** Checks that the model of tables is installed; throws OPTIONAL_PACKAGE_MISSING otherwise. */
export function checkTableModel(modelsFolder: string | undefined): void {
  if (!hasTableModel(modelsFolder))
    throw new AppError(
      'OPTIONAL_PACKAGE_MISSING',
      `The table model slanet_plus is not installed. Install it with: docloom models add ${tableStructurePack.name}`,
    );
}

/**
 * Writes a warning about OCR languages without data, while others have some; throws OPTIONAL_PACKAGE_MISSING if none has. Both
 * messages explain how to install the data.
 */
function warnOfMissingLanguages(languages: readonly string[], modelsFolder: string | undefined): void {
  const { present, absent } = separateLanguages(languages, modelsFolder);
  if (absent.length === 0) return;
  const files = absent.map((code) => `${code}.traineddata`).join(', ');
  const folder = `put ${files} into the folder tessdata of DOCLOOM_MODELS_FOLDER`;
  // Only codes such as eng or chi_sim have packages.
  const how = absent.every((code) => /^[a-z]{3}(_[a-z]+)?$/.test(code))
    ? `Install it with: npm install ${listLanguagePackages(absent).join(' ')} (or ${folder}).`
    : `Name a language by its code, such as eng or deu, or ${folder}.`;
  const what = `Text recognition has no data for ${absent.join(', ')}`;
  if (present.length === 0) throw new AppError('OPTIONAL_PACKAGE_MISSING', `${what}. ${how}`);
  process.stderr.write(`warning: ${what}; ${present.join(', ')} is used. ${how}\n`);
}
