import { findLargest, findSmallest } from '../../extremes';
import { createCharacterCheck } from '../characters/character-check';
import { type Frame, createFrameBox } from '../geometry/frame';
import type { CellTag, Font, Glyph } from '../geometry/page';
import { isRightToLeft } from './characters';
import { restoreLigatures } from './ligatures';
import { allocate, type Pdfium, type Scratch } from './pdfium';
import type { TagOf } from './tags';

/** Properties shared by all characters of one text object. */
interface Style {
  font: Font;
  size: number;
  rotation: number;
  invisible: boolean;
  /** How far the top of a letter leans to the right, as a share of its height; 0 for upright letters and turned text. */
  lean: number;
  tag?: string;
  cell?: CellTag;
}

/** Text render mode 3: neither filled nor stroked, as in the text layer of a scanned page. */
const invisibleMode = 3;
/** Text at most this many degrees from a quarter turn counts as that quarter turn. */
const maxSkew = 15;
/** Upright letters that lean this far are drawn as italics; scans are less skewed. */
const minLean = 0.12;
/** No printed page has more characters. */
const maxGlyphs = 400_000;
/** The code of the replacement character, for glyphs that the file does not name. */
const unknownCode = 0xfffd;
/** The flag of monospaced fonts in a font descriptor (ISO 32000-1, 9.8.2). */
export const fixedPitchFlag = 1;
/** Flags of italic and bold fonts. */
const italicFlag = 64;
const forceBold = 1 << 18;

/** What reading one page needs; `fonts` holds those already described, by their handle. */
interface GlyphReader {
  pdfium: Pdfium;
  text: number;
  frame: Frame;
  scratch: Scratch;
  fonts: Map<number, Font>;
}

/**
 * Reads the characters of a page in drawing order, without those that pdfium generates between words, except spaces after
 * right-to-left letters. `tagOf` returns the tag of a text object.
 */
export function readGlyphs(pdfium: Pdfium, text: number, frame: Frame, tagOf?: TagOf): Glyph[] {
  const scratch = allocate(pdfium, 512);
  const check = createCharacterCheck(pdfium, text, scratch, frame.rotation === 0);
  const reader: GlyphReader = { pdfium, text, frame, scratch, fonts: new Map() };
  const glyphs: Glyph[] = [];
  try {
    const count = Math.min(pdfium._FPDFText_CountChars(text), maxGlyphs);
    let object = 0;
    // Index and left edge of the first letter that starts at the current position.
    let [first, left] = [0, NaN];
    let style: Style | undefined;
    for (let index = 0; index < count; index += 1) {
      const next = pdfium._FPDFText_GetTextObject(text, index);
      // Characters that pdfium generates belong to no text object.
      if (next === 0) {
        const space = findSpaceAfter(glyphs, reader, index);
        if (space) glyphs.push(space);
        continue;
      }
      if (next !== object || !style) {
        object = next;
        style = readStyle(reader, index, object);
        const tag = tagOf?.(object);
        if (tag !== undefined) style.tag = tag.type;
        if (tag?.cell) style.cell = tag.cell;
      }
      const glyph = readGlyph(reader, index, style);
      if (!glyph) continue;
      check.checkCharacter(glyph, index);
      const { l } = glyph.box;
      if (Math.abs(l - left) < 0.02 && isLigature(glyphs.at(-1), glyph)) {
        spreadLigature(
          [...glyphs.slice(first), glyph],
          left,
          frame.rotation === 0 ? computeRightEdge(reader, index) - frame.left : NaN,
        );
      } else [first, left] = [glyphs.length, l];
      glyphs.push(glyph);
    }
    check.finish();
  } finally {
    scratch.free();
  }
  markFixedPitch(glyphs);
  return restoreLigatures(joinSurrogates(glyphs));
}

const ligature = /^(?:f[fijlt]|[sc]t)$/;

/** The letters of a ligature such as fi start at the same point; the engine gives each its width as a single letter. */
function isLigature(last: Glyph | undefined, glyph: Glyph): boolean {
  return (
    last !== undefined &&
    last.font === glyph.font &&
    Math.abs(last.baseline - glyph.baseline) < 0.02 &&
    ligature.test(last.text + glyph.text)
  );
}

/** The right edge of a glyph's ink in file coordinates; NaN if unknown. */
function computeRightEdge({ pdfium, text, scratch: { address } }: GlyphReader, index: number): number {
  const hasBox = pdfium._FPDFText_GetCharBox(text, index, address, address + 8, address + 16, address + 24);
  return hasBox === 0 ? NaN : (pdfium.HEAPF64[(address >> 3) + 1] as number);
}

/** Places the letters of a ligature side by side, up to the right edge of its ink. */
function spreadLigature(letters: readonly Glyph[], left: number, right: number): void {
  const size = letters[0]?.size ?? 0;
  if (!(right - left > 0.3 * size && right - left < 1.5 * size)) return;
  const step = (right - left) / letters.length;
  for (const [index, { box }] of letters.entries()) {
    box.l = left + index * step;
    box.r = box.l + step;
  }
}

function readGlyph({ pdfium, text, scratch, frame }: GlyphReader, index: number, style: Style): Glyph | undefined {
  const code = pdfium._FPDFText_GetUnicode(text, index);
  if (code === 0xfffe || code === 0xffff) return undefined;
  // pdfium also generates blanks, line ends and hyphens inside text objects.
  if ((code <= 0x2d || code === 0xad) && pdfium._FPDFText_IsGenerated(text, index) === 1) return undefined;
  const { size, rotation } = style;
  const { address } = scratch;
  pdfium._FPDFText_GetCharOrigin(text, index, address, address + 8);
  pdfium._FPDFText_GetLooseCharBox(text, index, address + 16);
  // Read the heap directly, for speed: a page has thousands of characters.
  const [doubles, floats] = [pdfium.HEAPF64, pdfium.HEAPF32];
  const [at64, at32] = [address >> 3, (address >> 2) + 4];
  const [x, y] = [doubles[at64] as number, doubles[at64 + 1] as number];
  const [x1, y1] = [floats[at32] as number, floats[at32 + 1] as number];
  const [x2, y2] = [floats[at32 + 2] as number, floats[at32 + 3] as number];
  // The height of a loose box comes from the font's metrics, which are often wrong; the font size is reliable.
  const [below, above] = [0.22 * size, 0.78 * size];
  if (frame.rotation === 0 && rotation === 0) {
    const baseline = y - frame.bottom;
    const [l, r] = x1 < x2 ? [x1 - frame.left, x2 - frame.left] : [x2 - frame.left, x1 - frame.left];
    const box = { l, b: baseline - below, r, t: baseline + above };
    if (style.lean !== 0) straighten(box, style.lean, { above: Math.max(y1, y2) - y, below: y - Math.min(y1, y2) });
    return createGlyph(code, style, box, baseline);
  }
  const origin = frame.convertPoint(x, y);
  const loose = createFrameBox(frame, x1, y1, x2, y2);
  const upright = rotation === 0 || rotation === 180;
  const box = upright ? { l: loose.l, r: loose.r, b: origin.y - below, t: origin.y + above } : loose;
  return createGlyph(code, style, box, origin.y);
}

/** Reduces the bounding box of a leaning letter to its width at the baseline: the next letter begins where it ends there. */
function straighten(box: Glyph['box'], lean: number, { above, below }: { above: number; below: number }): void {
  const [left, right] = lean > 0 ? [lean * below, lean * above] : [-lean * above, -lean * below];
  if (box.r - box.l <= left + right) return;
  box.l += left;
  box.r -= right;
}

function createGlyph(code: number, style: Style, box: Glyph['box'], baseline: number): Glyph {
  const { size, font, rotation, invisible, tag, cell } = style;
  const text = String.fromCharCode(code || unknownCode);
  const glyph: Glyph = { text, box, baseline, size, font, rotation, invisible };
  if (tag !== undefined) glyph.tag = tag;
  if (cell) glyph.cell = cell;
  return glyph;
}

/**
 * The space that pdfium finds after a right-to-left letter. Boxes do not show it: a shaped letter has the width of its
 * isolated form, which covers the space.
 */
function findSpaceAfter(glyphs: readonly Glyph[], { pdfium, text }: GlyphReader, index: number): Glyph | undefined {
  const last = glyphs.at(-1);
  if (!last) return undefined;
  const letter = /^[.,:;!?\u060c\u061b\u061f)(]$/.test(last.text) ? glyphs.at(-2) : last;
  if (!letter || !isRightToLeft(letter.text) || pdfium._FPDFText_GetUnicode(text, index) !== 0x20) return undefined;
  return { ...last, text: ' ', box: { ...last.box, r: last.box.l } };
}

function readStyle({ pdfium, text, scratch, frame, fonts }: GlyphReader, index: number, object: number): Style {
  pdfium._FPDFText_GetMatrix(text, index, scratch.address);
  const [a, b, c, d] = [0, 1, 2, 3].map((at) => scratch.float(at)) as [number, number, number, number];
  const fontHandle = pdfium._FPDFTextObj_GetFont(object);
  let font = fonts.get(fontHandle);
  if (!font) fonts.set(fontHandle, (font = readFont(pdfium, fontHandle, scratch)));
  const lean = a > 0 && d > 0 && Math.abs(b) < 0.01 * a && Math.abs(c) > minLean * d ? c / d : 0;
  const size = pdfium._FPDFText_GetFontSize(text, index);
  // A negative size turns the text by half a circle, which most files undo in the matrix.
  const half = size < 0 ? 180 : 0;
  // A mirrored letter, such as the E of XeTeX, is upright.
  const isMirrored = a < 0 && d > 0 && Math.abs(b) + Math.abs(c) < 0.01 * d;
  const direction = isMirrored ? 0 : computeDirection((Math.atan2(b, a) * 180) / Math.PI);
  const turn = direction + half - frame.rotation;
  return {
    font: lean > 0 ? findLeaning(fonts, fontHandle, font) : font,
    lean,
    size: Math.max(Math.abs(size) * (lean === 0 ? Math.hypot(c, d) : d), 0.1),
    rotation: ((turn % 360) + 360) % 360,
    invisible: pdfium._FPDFTextObj_GetTextRenderMode(object) === invisibleMode,
  };
}

/** The italic style that programs make of an upright font by leaning its letters; the handle, negated, is its key in `fonts`. */
function findLeaning(fonts: Map<number, Font>, handle: number, upright: Font): Font {
  let font = fonts.get(-handle);
  if (!font) fonts.set(-handle, (font = { ...upright, italic: true }));
  return font;
}

/** Rounds a direction to a quarter turn if it is close to one, as in skewed scans, else to whole degrees. */
function computeDirection(angle: number): number {
  const quarter = Math.round(angle / 90) * 90;
  return Math.abs(angle - quarter) <= maxSkew ? quarter : Math.round(angle);
}

function readFont(pdfium: Pdfium, handle: number, scratch: Scratch): Font {
  const length = pdfium._FPDFFont_GetBaseFontName(handle, scratch.address, 256);
  const name = new TextDecoder().decode(scratch.bytes(Math.min(Math.max(length - 1, 0), 255)));
  const flags = Math.max(pdfium._FPDFFont_GetFlags(handle), 0);
  const weight = pdfium._FPDFFont_GetWeight(handle);
  const angled = pdfium._FPDFFont_GetItalicAngle(handle, scratch.address) === 1 && scratch.int(0) !== 0;
  return describeFont(name, { flags, weight, angled });
}

/** Derives the style from the font name first: weights and flags in font descriptors are often missing or wrong. */
export function describeFont(name: string, facts: { flags: number; weight: number; angled: boolean }): Font {
  const plain = name.replace(/^[A-Z]{6}\+/, '');
  const isNamed = /[a-z]/i.test(plain);
  const hasBoldName =
    /bold|black|heavy|demi|semibd|(^|[-,])bd|^cmb|CM(?:SS)?BX|SF(?:BX|SX|BI)|Lin(?:Libertine|Biolinum)[A-Z]*B|Medi($|[-,])/i.test(
      plain,
    );
  return {
    name: plain,
    bold: hasBoldName || (facts.flags & forceBold) !== 0 || (!isNamed && facts.weight >= 600),
    italic: /ital|obli|slant|CMTI|CMSL|CMMI/i.test(plain) || (facts.flags & italicFlag) !== 0 || facts.angled,
    mono:
      /mono|courier|consol|menlo|typewriter|CMTT|SFTT|fixed|lucidaconsole|nimbusmon/i.test(plain) ||
      (facts.flags & fixedPitchFlag) !== 0,
  };
}

/** Marks a font as monospaced if its narrow and wide letters have the same width, whatever its name says. */
export function markFixedPitch(glyphs: readonly Glyph[]): void {
  const fonts = new Map<Font, Map<number, number>>();
  let last: Font | undefined;
  let widths = new Map<number, number>();
  for (const { font, text, box, size, rotation } of glyphs) {
    const code = text.charCodeAt(0);
    if (rotation !== 0 || code <= 0x20 || code >= 0x7f) continue;
    if (font !== last) {
      last = font;
      widths = fonts.get(font) ?? new Map<number, number>();
      fonts.set(font, widths);
    }
    if (!widths.has(code)) widths.set(code, (box.r - box.l) / size);
  }
  for (const [font, widths] of fonts) {
    const letters = String.fromCharCode(...widths.keys());
    if (widths.size < 8 || !/[iljtfI.,:;']/.test(letters) || !/[mwMWODGQ@]/.test(letters)) continue;
    const all = [...widths.values()];
    if (findLargest(all) - findSmallest(all) < 0.03) font.mono = true;
  }
}

/** Joins surrogate pairs, which arrive as two characters, and drops unpaired surrogates. */
function joinSurrogates(glyphs: Glyph[]): Glyph[] {
  if (!glyphs.some(({ text }) => isSurrogate(text))) return glyphs;
  const joined: Glyph[] = [];
  for (const glyph of glyphs) {
    const last = joined.at(-1);
    if (isSurrogate(glyph.text) && last && isSurrogate(last.text)) last.text += glyph.text;
    else joined.push(glyph);
  }
  return joined.filter(({ text }) => !isSurrogate(text));
}

function isSurrogate(text: string): boolean {
  const code = text.charCodeAt(0);
  return text.length === 1 && code >= 0xd800 && code <= 0xdfff;
}
