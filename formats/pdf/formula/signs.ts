import { functions, operators, symbolCommands } from '../../ooxml/docx/equation-symbols';
import { extensionFont, texOperators } from '../engine/signs';
import type { Glyph } from '../geometry/page';

/** A sign of a formula in TeX. */
export interface MathSign {
  tex: string;
  kind: 'sign' | 'operator' | 'root' | 'fence' | 'space';
  /** A letter in upright type: part of a name. */
  isUpright: boolean;
  /** The sign hangs below its baseline, as in TeX's extension fonts. */
  isHanging: boolean;
}

/** Signs of TeX's extension font (cmex), by code; the font has no standard glyph names. */
const extension: Readonly<Record<string, string>> = {
  ...texOperators,
  ' ': '(',
  '!': ')',
  '"': '[',
  '#': ']',
  '(': '{',
  ')': '}',
};
const uprightFont = /^(?:CMR|LMRoman|SFRM|Times(?!.*Italic)|NimbusRom|CMSS|CMBX)/i;
const escaped = /[{}%&#$_]/;
const accentsOrUnknown = /[\p{M}\p{Co}\p{Cc}\ufffd]/u;

/** Accents of letters, by their combining character. */
const accentCommands: Readonly<Record<string, string>> = {
  '\u0300': 'grave',
  '\u0301': 'acute',
  '\u0302': 'hat',
  '\u0303': 'tilde',
  '\u0304': 'bar',
  '\u0306': 'breve',
  '\u0307': 'dot',
  '\u0308': 'ddot',
  '\u030c': 'check',
};

/** The TeX of a glyph; undefined if it is unknown. */
export function findSign(glyph: Glyph): MathSign | undefined {
  const [letter, accent, ...more] = glyph.text.normalize('NFD');
  const command = accentCommands[accent ?? ''];
  if (letter === undefined || command === undefined || more.length > 0) return findPlainSign(glyph);
  const sign = findPlainSign({ ...glyph, text: letter });
  return sign && { ...sign, tex: `\\${command}{${sign.tex}}`, isUpright: false };
}

function findPlainSign({ text, font }: Glyph): MathSign | undefined {
  const isHanging = extensionFont.test(font.name);
  const plainText = isHanging ? (extension[text] ?? text) : text;
  // Fonts name a capital delta "increment".
  const sign = plainText.normalize('NFKC').replace('\u2206', '\u0394');
  if (accentsOrUnknown.test(sign)) return undefined;
  if (sign === '√') return { tex: '\\sqrt', kind: 'root', isUpright: false, isHanging };
  const operator = operators[sign];
  if (operator !== undefined) return { tex: operator, kind: 'operator', isUpright: false, isHanging };
  const isStyled = plainText !== sign;
  const isUpright = /^\p{L}$/u.test(sign) && !isStyled && !font.italic && (sign < '\u0080' || !symbolCommands[sign]);
  const tex = symbolCommands[plainText] ?? symbolCommands[sign] ?? (escaped.test(sign) ? `\\${sign}` : sign);
  const kind = /^[()[\]{}|⟨⟩⌈⌉⌊⌋‖]$/.test(sign) ? 'fence' : 'sign';
  if (/^[^\x20-\x7e]$/.test(tex) && !/^\p{L}$/u.test(tex)) return undefined;
  return {
    tex,
    kind,
    isUpright: isUpright && (uprightFont.test(font.name) || /math|stix/i.test(font.name) || sign < '\u0080'),
    isHanging,
  };
}

/** The TeX of an upright name: a function known to TeX, or text. */
export function writeWordTex(name: string): string {
  return functions.has(name) ? `\\${name}` : `\\mathrm{${name}}`;
}
