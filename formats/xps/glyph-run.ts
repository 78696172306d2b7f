import { addAll } from '../../model/lists/add-all';
import { findBounds, type Matrix, toPoint } from '../matrix';
import type { Font, Glyph } from '../pdf/geometry/page';
import type { FontFace } from './font';

/** One `Glyphs` element: text at a position, with the positions of its glyphs (ECMA-388, 12.1). */
export interface GlyphRun {
  text: string;
  indices: string;
  x: number;
  y: number;
  size: number;
  isRightToLeft: boolean;
  isSideways: boolean;
  isInvisible: boolean;
  /** `BoldSimulation`, `ItalicSimulation`, `BoldItalicSimulation`. */
  simulated: string;
  face: FontFace | undefined;
  /** From the coordinates of the run to points from the lower left corner of the page. */
  matrix: Matrix;
}

/** One entry of `Indices`; widths and offsets are in hundredths of an em. */
interface IndexEntry {
  codeUnits: number;
  glyphs: number;
  glyph: number | undefined;
  advance: number | undefined;
  offset: number;
  rise: number;
}

/** Text at most this many degrees from a quarter turn counts as that quarter turn. */
const maxSkew = 15;
/** Share of the size above and below the baseline, as for the glyphs of PDF pages. */
const [above, below] = [0.78, 0.22];
const plainFont: Font = { name: '', bold: false, italic: false, mono: false };
/** Width of a glyph of an unknown font, in ems. */
const defaultAdvance = 0.5;
/** Simulated bold glyphs are this much wider, in ems. */
const boldExtraWidth = 0.02;

/** Places at most `maxGlyphs` characters of a run, in the order of its text. */
export function placeGlyphs(run: GlyphRun, maxGlyphs: number): Glyph[] {
  const { text, matrix, isRightToLeft, isSideways, face } = run;
  const entries = parseIndices(run.indices);
  const [a, b, c, d] = matrix;
  const style = {
    size: Math.max(run.size * Math.hypot(c, d), 0.1),
    font: styleFont(face?.font ?? plainFont, run.simulated),
    rotation: (computeDirection((Math.atan2(b, a) * 180) / Math.PI) + (isSideways ? 90 : 0) + 360) % 360,
    invisible: run.isInvisible,
  };
  const gain = run.simulated.startsWith('Bold') ? boldExtraWidth : 0;
  const glyphs: Glyph[] = [];
  let [at, entry, pen] = [0, 0, 0];
  while ((at < text.length || entry < entries.length) && glyphs.length < maxGlyphs) {
    const first = entries[entry];
    const isPair = (text.codePointAt(at) ?? 0) > 0xffff;
    const units = Math.max(first?.codeUnits ?? 1, isPair ? 2 : 1);
    const count = Math.max(1, Math.min(first?.glyphs ?? 1, entries.length - entry));
    const part = text.slice(at, at + units) || findCharacter(face, first?.glyph);
    let width = 0;
    for (let index = 0; index < count; index += 1)
      width += computeWidth(entries[entry + index], part, { face, gain, isSideways });
    addAll(
      glyphs,
      placeCluster(part, { run, style, from: pen + (first?.offset ?? 0) / 100, width, rise: first?.rise ?? 0 }),
    );
    pen += isRightToLeft ? -width : width;
    at += units;
    entry += count;
  }
  return glyphs;
}

interface Cluster {
  run: GlyphRun;
  style: Pick<Glyph, 'size' | 'font' | 'rotation' | 'invisible'>;
  /** Start in ems from the origin of the run. */
  from: number;
  width: number;
  rise: number;
}

/** Places the characters of one cluster side by side in its width. */
function placeCluster(part: string, { run, style, from, width, rise }: Cluster): Glyph[] {
  const characters = Array.from(part);
  const step = (run.isRightToLeft ? -width : width) / characters.length;
  const y = run.y - (rise / 100) * run.size;
  return characters.map((text, index) => {
    const [start, end] = [0, 1].map((more) => run.x + (from + (index + more) * step) * run.size) as [number, number];
    const corners = [-above, below].flatMap((height) =>
      [start, end].map((x) => toPoint(run.matrix, x, y + height * run.size)),
    );
    const origin = toPoint(run.matrix, start, y);
    return { text, box: findBounds(corners)!, baseline: origin.y, ...style };
  });
}

/** Returns the width of a glyph in ems: from the file, else from the font. */
function computeWidth(
  entry: IndexEntry | undefined,
  part: string,
  { face, gain, isSideways }: { face: FontFace | undefined; gain: number; isSideways: boolean },
): number {
  if (entry?.advance !== undefined) return entry.advance / 100;
  if (isSideways) return 1;
  if (!face) return defaultAdvance;
  return face.getAdvance(entry?.glyph ?? face.findGlyph(part.codePointAt(0) ?? 0)) + gain;
}

/** Returns the character of a glyph that has no text. */
function findCharacter(face: FontFace | undefined, glyph: number | undefined): string {
  const code = glyph === undefined ? undefined : face?.findCodePoint(glyph);
  return code === undefined ? '\ufffd' : String.fromCodePoint(code >= 0xf000 && code < 0xf100 ? code - 0xf000 : code);
}

/** Reads `(units:glyphs)glyph,advance,offset,rise;…`; every part may be missing. */
function parseIndices(indices: string): IndexEntry[] {
  if (indices.trim() === '') return [];
  return indices.split(';').map((text) => {
    const [, units, glyphs, entry = text] = /^\s*\((\d{1,6})(?::(\d{1,6}))?\)(.*)$/s.exec(text) ?? [];
    const [glyph, advance, offset, rise] = entry.split(',').map(readNumber);
    return {
      codeUnits: Math.max(1, Number(units ?? 1)),
      glyphs: Math.max(1, Number(glyphs ?? 1)),
      glyph,
      advance,
      offset: offset ?? 0,
      rise: rise ?? 0,
    };
  });
}

function readNumber(text: string): number | undefined {
  const number = Number(text);
  return text.trim() === '' || !Number.isFinite(number) ? undefined : number;
}

function styleFont(font: Font, simulated: string): Font {
  if (!simulated || simulated === 'None') return font;
  return { ...font, bold: font.bold || /Bold/.test(simulated), italic: font.italic || /Italic/.test(simulated) };
}

function computeDirection(angle: number): number {
  const quarter = Math.round(angle / 90) * 90;
  return Math.abs(angle - quarter) <= maxSkew ? quarter : Math.round(angle);
}
