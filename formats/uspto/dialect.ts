const apsHead = /^(?:\u00ef\u00bb\u00bf)?PATN[ \t]*\r?\n/;

/** True for the plain text files of grants from 1976 to 2001 (Automated Patent System). */
export function isAps(head: Uint8Array): boolean {
  return apsHead.test(Buffer.from(head.subarray(0, 32)).toString('latin1'));
}

/** The meaning of a patent element, independent of the generation of the document type. */
export type Part = 'abstract' | 'claims' | 'claim' | 'heading' | 'paragraph' | 'table' | 'sub' | 'sup' | 'skipped';

/** Element names since 2005 (ST.36), of applications from 2001 to 2004, and of grants from 2001 to 2004 (ST.32, upper case). */
const parts: Record<string, Part> = {
  abstract: 'abstract',
  'subdoc-abstract': 'abstract',
  SDOAB: 'abstract',
  claims: 'claims',
  'subdoc-claims': 'claims',
  SDOCL: 'claims',
  claim: 'claim',
  CLM: 'claim',
  heading: 'heading',
  H: 'heading',
  p: 'paragraph',
  paragraph: 'paragraph',
  PARA: 'paragraph',
  tables: 'table',
  'table-cwu': 'table',
  TABLE: 'table',
  'TABLE-US': 'table',
  sub: 'sub',
  subscript: 'sub',
  SB: 'sub',
  sup: 'sup',
  superscript: 'sup',
  SP: 'sup',
};
const skippedElements = new Set(
  'number maths math-cwu math chemistry chemistry-cwu CHEM-US MATH-US EMI img image mathematica-file'.split(' '),
);

/** Returns the meaning of an element by its name; undefined if it only contains other elements. */
export function findPart(name: string): Part | undefined {
  return skippedElements.has(name) ? 'skipped' : parts[name];
}

const subscripts: Record<string, string> = {
  '0': '₀', '1': '₁', '2': '₂', '3': '₃', '4': '₄', '5': '₅', '6': '₆', '7': '₇', '8': '₈', '9': '₉',
  '+': '₊', '-': '₋', '−': '₋', '=': '₌', '(': '₍', ')': '₎', a: 'ₐ', e: 'ₑ', o: 'ₒ', x: 'ₓ',
}; // prettier-ignore
const superscripts: Record<string, string> = {
  '0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹',
  '+': '⁺', '-': '⁻', '−': '⁻', '=': '⁼', '(': '⁽', ')': '⁾', a: 'ᵃ', o: 'ᵒ', i: 'ⁱ', n: 'ⁿ',
}; // prettier-ignore

/** Converts characters to subscripts or superscripts if Unicode has them. */
export function writeScript(text: string, part: 'sub' | 'sup'): string {
  const table = part === 'sub' ? subscripts : superscripts;
  return text.replace(/./gsu, (sign) => table[sign] ?? sign);
}
