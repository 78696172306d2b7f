import { listCodes } from '../ocr-languages';

const ideographic = ['chi_sim', 'chi_tra', 'jpn', 'chi_sim_vert', 'chi_tra_vert', 'jpn_vert'];
const known = new Set(['eng', ...ideographic]);

/** The languages for which the models were not trained. Their signs have most letters of Europe. */
export function listUnknownLanguages(languages: readonly string[]): string[] {
  return listCodes(languages).filter((code) => !known.has(code));
}

/** True if Chinese or Japanese is among the languages. */
export function hasIdeographs(languages: readonly string[]): boolean {
  return listCodes(languages).some((code) => ideographic.includes(code));
}
