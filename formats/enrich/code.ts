import type { TextItem } from '../../document/model';
import { parseCode, readLanguage, extractLatex } from './answers';
import { createAnswerError, type Asking } from './asking';

/** The language question includes at most this many characters of code; more would not help. */
const maxCodeLength = 4_000;
const askLanguage = 'In which language is this code? Answer with the name of the language and nothing else.';
const askLatex = 'Write this formula as LaTeX and nothing else.';

/** Reads code and its language from an image. Without an image, asks only for the language if it is unknown. */
export const readCode: Asking<TextItem> = {
  question(item, { prompt }, image) {
    if (image) return { prompt, image };
    const hasLanguage = item.code_language !== undefined && item.code_language !== 'unknown';
    return hasLanguage || item.text === ''
      ? undefined
      : { prompt: `${askLanguage}\n\n${item.text.slice(0, maxCodeLength)}` };
  },
  apply(item, answer, _enricher, { image }) {
    if (!image) {
      const language = readLanguage(answer);
      if (language === undefined) throw createAnswerError('the answer names no known language', answer);
      item.code_language = language;
      return;
    }
    const { text, language } = parseCode(answer);
    if (text.trim() === '') throw createAnswerError('the answer contains no code', answer);
    item.text = text;
    item.code_language = language ?? item.code_language ?? 'unknown';
  },
};

const latexOfSigns: Readonly<Record<string, string>> = { '\\': '\\backslash ', '^': '\\wedge ', '~': '\\sim ' };

/** Writes the words of a formula that could not be read as LaTeX text, so that every output shows them unchanged. */
export function toFormulaWords(words: string): string {
  if (words.trim() === '') return '';
  const text = words
    .replace(/[{}$&#_%]/g, '\\$&')
    .replace(/\\(?![{}$&#_%])|[\^~]/g, (sign) => `}${latexOfSigns[sign]}\\text{`);
  return `\\text{${text}}`;
}

/** Reads a formula from its image as LaTeX. A formula that is already LaTeX is kept. */
export const readFormula: Asking<TextItem> = {
  question(item, { prompt }, image) {
    if (item.text !== '' && item.text !== toFormulaWords(item.orig)) return undefined;
    if (image) return { prompt, image };
    return item.orig !== '' ? { prompt: `${askLatex}\n\n${item.orig}` } : undefined;
  },
  apply(item, answer) {
    const latex = extractLatex(answer);
    if (latex === '') throw createAnswerError('the answer contains no formula', answer);
    item.text = latex;
  },
};
