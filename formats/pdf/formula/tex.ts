import { findLargest } from '../../extremes';
import { type Box, union } from '../geometry/box';
import type { Glyph, Rule } from '../geometry/page';
import { type MathSign, findSign, writeWordTex } from './signs';

/** In type sizes: height of the axis above the baseline, and the minimum shift of indices from the axis. */
const axis = 0.25;
const moved = 0.12;
/** Indices are smaller than this share of the size of their base. */
const scriptSize = 0.86;
/** Limits may extend this many type sizes past the sides of their operator. */
const limitReach = 1.2;
/** Maximum number of signs in a formula. */
const maxSigns = 400;

/** A sign or a completed part of a formula. */
interface Piece {
  tex: string;
  box: Box;
  baseline: number;
  size: number;
  kind: MathSign['kind'] | 'part';
  /** The letters, if the piece is an upright name. */
  letters?: string;
}

/**
 * Writes a formula as TeX from the positions of its signs: fractions and roots by their bars, limits by their operators, and
 * indices by size and height. Returns undefined if a sign is unknown or two parts overlap, so that no wrong formula is written.
 */
export function writeTex(glyphs: readonly Glyph[], rules: readonly Rule[]): string | undefined {
  const pieces: Piece[] = [];
  for (const glyph of glyphs.slice(0, maxSigns + 1)) {
    if (glyph.text.trim() === '') continue;
    const sign = findSign(glyph);
    if (!sign) return undefined;
    const { box, baseline, size } = glyph;
    const letters = sign.isUpright ? { letters: sign.tex } : {};
    pieces.push({
      tex: sign.tex,
      box: sign.isHanging ? buildHangingBox(glyph) : box,
      baseline,
      size,
      kind: sign.kind,
      ...letters,
    });
  }
  if (pieces.length === 0 || pieces.length > maxSigns) return undefined;
  const all = union(pieces.map(({ box }) => box));
  const size = findLargest(pieces.map((piece) => piece.size));
  const bars = rules.filter(
    ({ axis: way, at, from, to }) =>
      way === 'h' && at > all.b - size && at < all.t + size && from > all.l - size && to < all.r + size,
  );
  const tex = write(
    pieces,
    bars.toSorted((a, b) => b.to - b.from - (a.to - a.from)),
  );
  return tex?.trim();
}

/**
 * Large signs of TeX's extension fonts hang below the baseline; this moves them so that their axis matches that of the line.
 */
function buildHangingBox({ box, baseline, size }: Glyph): Box {
  return { ...box, t: baseline, b: baseline - 1.4 * size };
}

function write(pieces: readonly Piece[], bars: readonly Rule[]): string | undefined {
  if (pieces.length === 0) return '';
  const [bar, ...others] = bars;
  if (!bar) return writeLine(pieces);
  const barred = applyBar(pieces, bar, others);
  if (barred === 'none') return write(pieces, others);
  return barred && write(barred.pieces, barred.bars);
}

/** Replaces the signs of the bar's fraction or root by one piece; 'none' if the bar belongs to neither. */
function applyBar(
  pieces: readonly Piece[],
  bar: Rule,
  others: readonly Rule[],
): { pieces: Piece[]; bars: Rule[] } | 'none' | undefined {
  const inside = pieces.filter(({ box }) => (box.l + box.r) / 2 > bar.from && (box.l + box.r) / 2 < bar.to);
  const middle = ({ box }: Piece) => (box.b + box.t) / 2;
  const [over, under] = [
    inside.filter((piece) => piece.kind !== 'root' && middle(piece) > bar.at),
    inside.filter((piece) => piece.kind !== 'root' && middle(piece) <= bar.at),
  ];
  if (under.length === 0) return 'none';
  const isInner = (rule: Rule) => rule.from >= bar.from - 1 && rule.to <= bar.to + 1;
  const inner = (isAbove: boolean) => others.filter((rule) => isInner(rule) && rule.at > bar.at === isAbove);
  const rest = others.filter((rule) => !isInner(rule));
  const root = pieces.find(
    ({ kind, box, size }) => kind === 'root' && Math.abs(box.r - bar.from) < 0.5 * size && box.b < bar.at,
  );
  const isRoot = root !== undefined && over.every((piece) => piece.box.b > root.box.t);
  if (!isRoot && over.length === 0) return 'none';
  const below = write(under, inner(false));
  const above = isRoot ? '' : write(over, inner(true));
  if (below === undefined || above === undefined) return undefined;
  const usedSigns = new Set([...under, ...(isRoot ? [root] : over)]);
  const size = findLargest([...usedSigns].map((piece) => piece.size));
  const box = union([...usedSigns].map((piece) => piece.box));
  const first = under[0] as Piece;
  const part: Piece = {
    tex: isRoot ? `\\sqrt{${below}}` : `\\frac{${above}}{${below}}`,
    box: { ...box, l: Math.min(box.l, bar.from), r: Math.max(box.r, bar.to) },
    baseline: isRoot ? (findMainBaseline(under) ?? first.baseline) : bar.at - axis * size,
    size,
    kind: 'part',
  };
  return { pieces: [...pieces.filter((piece) => !usedSigns.has(piece)), part], bars: rest };
}

/** The most frequent baseline of full-sized signs; operators are centred and therefore not used. */
function findMainBaseline(pieces: readonly Piece[]): number | undefined {
  const size = computeLineSize(pieces);
  const full = pieces.filter((piece) => piece.size > scriptSize * size && piece.kind !== 'operator');
  const counts = new Map<number, number>();
  for (const { baseline } of full) {
    const key = Math.round(baseline / (moved * size));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const maxCount = findLargest(counts.values());
  return full.find(({ baseline }) => counts.get(Math.round(baseline / (moved * size))) === maxCount)?.baseline;
}

/** A base with its indices. */
interface Item {
  base: Piece;
  up: Piece[];
  down: Piece[];
}

/** The type size of the line, without operators, which may be larger, and limits, which are not on the line. */
function computeLineSize(pieces: readonly Piece[]): number {
  const middle = ({ box }: Piece) => (box.b + box.t) / 2;
  const operators = pieces.filter(({ kind }) => kind === 'operator');
  const level = pieces.filter(
    (piece) =>
      piece.kind !== 'operator' &&
      operators.every((operator) => Math.abs(middle(piece) - middle(operator)) < 0.45 * operator.size),
  );
  return findLargest((level.length > 0 ? level : pieces).map((piece) => piece.size));
}

function writeLine(pieces: readonly Piece[]): string | undefined {
  // A root without a bar.
  if (pieces.some(({ kind }) => kind === 'root')) return undefined;
  const size = computeLineSize(pieces);
  const sorted = pieces.toSorted((a, b) => a.box.l - b.box.l);
  const baseline = findMainBaseline(pieces) ?? (sorted[0] as Piece).baseline;
  const isMain = (piece: Piece) =>
    piece.kind === 'operator' || piece.kind === 'part' || piece.kind === 'fence'
      ? piece.size > scriptSize * size
      : piece.size > scriptSize * size && Math.abs(piece.baseline - baseline) < 2 * moved * size;
  const items: Item[] = sorted.filter(isMain).map((base) => ({ base, up: [], down: [] }));
  const scripts = sorted.filter((piece) => !isMain(piece));
  for (const script of scripts) {
    const owner = findOwner(script, items, size);
    if (!owner) return undefined;
    (script.baseline > computeHeight(owner.base, baseline) ? owner.up : owner.down).push(script);
  }
  return joinTex(items.map(writeItem));
}

/** The height that separates raised pieces from lowered ones: the axis for operators, which have limits above and below. */
function computeHeight(base: Piece, baseline: number): number {
  return base.kind === 'operator' ? (base.box.b + base.box.t) / 2 - axis * base.size : baseline;
}

/** The owner of the index: the operator that it is centred on, or the nearest preceding piece. */
function findOwner(script: Piece, items: readonly Item[], size: number): Item | undefined {
  const middle = (script.box.l + script.box.r) / 2;
  const operator = items.find(
    ({ base }) =>
      base.kind === 'operator' &&
      middle > base.box.l - limitReach * size &&
      middle < base.box.r + limitReach * size &&
      (script.box.b > base.box.t - 0.6 * size || script.box.t < base.box.b + 0.6 * size),
  );
  if (operator) return operator;
  return items.findLast(({ base }) => base.box.l < middle && base.kind !== 'space');
}

interface Written {
  tex: string | undefined;
  /** The letters of an upright name without indices, which may continue in the next piece. */
  letters?: string | undefined;
  box: Box;
  size: number;
}

function writeItem({ base, up, down }: Item): Written {
  const raised = up.length > 0 ? writeLine(up) : '';
  const lowered = down.length > 0 ? writeLine(down) : '';
  const { box, size, letters } = base;
  if (raised === undefined || lowered === undefined) return { tex: undefined, box, size };
  if (raised === '' && lowered === '') return { tex: base.tex, letters, box, size };
  const primes = /^(?:\\prime\s*)+$/.test(raised) ? raised.replaceAll(/\\prime\s*/g, "'") : undefined;
  const upper = primes ?? (raised === '' ? '' : `^{${raised}}`);
  return { tex: `${base.tex}${lowered === '' ? '' : `_{${lowered}}`}${upper}`, letters, box, size };
}

/** Joins the items of a line; adjacent upright letters become a function name or text. */
function joinTex(items: readonly Written[]): string | undefined {
  let tex = '';
  for (let index = 0; index < items.length;) {
    const item = items[index] as Written;
    if (item.tex === undefined) return undefined;
    let end = index + 1;
    while (item.letters !== undefined && isSameWord(items, end)) end += 1;
    const word = items.slice(index, end);
    const last = word.at(-1) as Written;
    if (last.tex === undefined) return undefined;
    const name = word.map(({ letters }) => letters ?? '').join('');
    const more = last.tex.slice((last.letters ?? last.tex).length);
    const isName = item.letters !== undefined && word.length > 1;
    tex = append(tex, isName ? writeWordTex(name) + more : item.tex);
    index = end;
  }
  return tex;
}

function isSameWord(items: readonly Written[], end: number): boolean {
  const [last, next] = [items[end - 1] as Written, items[end]];
  if (!next || next.letters === undefined || last.letters === undefined) return false;
  if (last.tex !== last.letters) return false;
  return next.box.l - last.box.r < 0.15 * next.size;
}

/** Adds a space between a command that ends with a letter and a following letter. */
function append(tex: string, next: string): string {
  return /\\[a-zA-Z]+$/.test(tex) && /^[a-zA-Z]/.test(next) ? `${tex} ${next}` : tex + next;
}
