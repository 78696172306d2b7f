/** A hyphen at a line end that belongs to the word; `joinLines` writes it as `-`. */
export const keptHyphen = '\u2010';
/** A long dash between words, or any dash at a line end that does not split a word. */
export const longDash = '\u2014';

/** Glyphs of symbol fonts at U+F000 and above that have a meaning in text. */
const symbolSigns: Record<string, string> = {
  '\uf0b7': '·',
  '\uf0a7': '▪',
  '\uf06c': '●',
  '\uf06e': '■',
  '\uf06f': '□',
  '\uf071': '❑',
  '\uf075': '◆',
  '\uf076': '❖',
  '\uf077': '◆',
  '\uf078': '☒',
  '\uf0fd': '☒',
  '\uf0a8': '□',
  '\uf0fe': '☑',
  '\uf0fc': '✓',
  '\uf0d8': '➢',
  '\uf0e0': '→',
  '\uf02d': '-',
  '\uf0a3': '≤',
  '\uf0b0': '°',
  '\uf0b1': '±',
  '\uf0b3': '≥',
  '\uf0b4': '×',
  '\uf0b9': '≠',
  '\uf0bb': '≈',
  '\uf0ae': '→',
};
const plainSigns: Record<string, string> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201a': "'",
  '\u201b': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u201e': '"',
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '-',
  '\u2013': '-',
  '\u2014': '-',
  '\u2015': '-',
  '\u2212': '-',
  '\u00ad': '-',
  '\u0002': '-',
  '\u2044': '/',
  '\u2022': '·',
  '\u00a0': ' ',
};

/** TeX's symbol fonts have these signs in the places of small letters, and no small letters. */
const texSymbols = '⊣⌊⌋⌈⌉{}⟨⟩|‖↕⇕\\≀√⨿∇∫⊔⊓⊑⊒§†‡';
/** They have these signs in the places of digits, and no digits; the seventh crosses out the sign after it. */
const texDigits = '′∞∈∋△▽\u0338↦∀∃';
/** Signs of the first symbol font of the AMS, which has neither letters nor digits, by the letter of their code. */
const amsSymbols: Readonly<Record<string, string>> = {
  '6': '≤',
  '>': '≥',
  B: '▷',
  C: '◁',
  F: '★',
  H: '▼',
  I: '▶',
  J: '◀',
  M: '△',
  N: '▲',
  O: '▽',
  X: '✓',
};
const amsSymbolFont = /^MSAM\d/;
const texSymbolFont = /^(?:CMSY|CMBSY|LMMathSymbols)\d/;

/** TeX's extension fonts, which have no standard glyph names. */
export const extensionFont = /^(?:CMEX|MTEX|LMMathExtension|EUEX)/i;
/** The operators of these fonts, by code. */
export const texOperators: Readonly<Record<string, string>> = {
  P: '∑',
  X: '∑',
  Q: '∏',
  Y: '∏',
  R: '∫',
  Z: '∫',
  S: '⋃',
  '[': '⋃',
  T: '⋂',
  '\\': '⋂',
  p: '√',
  q: '√',
  r: '√',
  s: '√',
};

/** The sign of a glyph in a symbol font of TeX whose file names no characters; undefined for other glyphs. */
export function readTexSymbol(code: number, fontName: string): string | undefined {
  if (code >= 0x50 && code <= 0x73 && extensionFont.test(fontName)) return texOperators[String.fromCharCode(code)];
  if (code === 0x0d && texSymbolFont.test(fontName)) return '\u25ef';
  if (code < 0x30 || code > 0x7a) return undefined;
  if (code >= 0x61) return texSymbolFont.test(fontName) ? texSymbols[code - 0x61] : undefined;
  if (amsSymbolFont.test(fontName)) return amsSymbols[String.fromCharCode(code)];
  return code <= 0x39 && texSymbolFont.test(fontName) ? texDigits[code - 0x30] : undefined;
}

/** Signs of TeX's text fonts by their code in the encodings T1, OT1 and TS1. */
const texText: Readonly<Record<number, string>> = {
  0x0b: 'ff',
  0x0c: 'fi',
  0x0d: 'fl',
  0x0e: 'ffi',
  0x0f: 'ffl',
  0x10: '"',
  0x11: '"',
  0x12: '"',
  0x15: '-',
  0x16: longDash,
  0x1b: 'ff',
  0x1c: 'fi',
  0x1d: 'fl',
  0x1e: 'ffi',
  0x1f: 'ffl',
  0x88: '·',
};

/**
 * The sign of a glyph in a font without name, as TeX draws its letters as bitmaps; undefined for signs that need no change.
 */
export function readTexText(code: number, fontName: string): string | undefined {
  return fontName === '' ? texText[code] : undefined;
}

/** Codes of the first Wingdings font that `symbolSigns` lists; it also has signs of other fonts. */
const firstWingdings = /^[§lnoquvwxý¨þüØà]$/;
/** Signs of the second Wingdings font, which differ from those of the first. */
const secondWingdings: Readonly<Record<string, string>> = { O: '✗', P: '✓', Q: '☒', R: '☑', S: '☒', T: '☒', '£': '□' };

/** The sign of a Wingdings font whose file names it as the letter of the same code; undefined for other glyphs. */
export function readWingding(text: string, fontName: string): string | undefined {
  if (!/^wingdings/i.test(fontName) || text < '!' || text > '\u00ff') return undefined;
  if (/^wingdings-?\s?3/i.test(fontName)) return undefined;
  if (/^wingdings-?\s?2/i.test(fontName)) return secondWingdings[text];
  return firstWingdings.test(text) ? symbolSigns[String.fromCharCode(0xf000 + text.charCodeAt(0))] : undefined;
}

/** Greek letters in the places of Latin ones in the encoding of Symbol (ISO 32000-1, annex D.5). */
const symbolCapitals = 'ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ';
const symbolSmall = 'αβχδεφγηιϕκλμνοπθρστυϖωξψζ';

/**
 * The Greek letter of a Symbol font whose file names it as a private character, as Word does; undefined for other glyphs.
 * OpenSymbol, the substitute for both Symbol and Wingdings in LibreOffice, has the bullets of Wingdings instead of some letters.
 */
export function readSymbolGreek(text: string, fontName: string): string | undefined {
  const code = text.charCodeAt(0) - 0xf000;
  if (code < 0x41 || code > 0x7a || !/^(?:open)?symbol/i.test(fontName)) return undefined;
  if (text in symbolSigns && /^open/i.test(fontName)) return undefined;
  return code >= 0x61 ? symbolSmall[code - 0x61] : symbolCapitals[code - 0x41];
}

/** False for fonts whose signs at the codes of letters depend on the font. */
export function hasPlainLetters(fontName: string): boolean {
  const isTex = extensionFont.test(fontName) || texSymbolFont.test(fontName) || amsSymbolFont.test(fontName);
  return fontName !== '' && !isTex && !/^wingdings/i.test(fontName);
}

/** True for symbol and bullet fonts, whose letter codes do not represent letters. */
export function isSymbolFont(name: string): boolean {
  return /dingbat|wingding|webding|marlett|bullet|zapf|^symbol/i.test(name);
}

/** Expands ligatures and presentation forms, makes quotes, dashes and spaces plain, and removes control characters. */
export function toPlainText(text: string): string {
  const code = text.charCodeAt(0);
  if (text.length === 1 && code >= 0x20 && code < 0x7f) return text;
  const sign = symbolSigns[text] ?? plainSigns[text];
  if (sign !== undefined) return sign;
  if (/[\ufb00-\ufdff\ufe70-\ufefc]/.test(text)) return text.normalize('NFKC');
  if (/[\t\n\r\u2000-\u200a\u202f\u3000]/.test(text)) return ' ';
  return /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\ufeff\ufffd]/u.test(text) ? '' : text;
}
