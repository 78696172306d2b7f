import type { PixelRule } from '../../model/page/ocr';
import { computePaper, type GreyImage } from './grey-image';

/** Pixels darker than this share of the paper's brightness are ink. */
const inkShare = 0.6;
/** Limits as shares of the image's shorter side. A shorter or thicker line is not a ruling. */
const minRuleShare = 0.04;
const maxThickness = 0.006;
/** Thickness in pixels that lines in small images may have regardless. */
const minThickness = 5;
/** A slightly rotated line rises by at most this share of its length. */
const maxSlope = 0.012;
/** White gap in pixels that does not end a line. */
const gap = 3;
/** A line shorter than this share of the shorter side may consist of the joined serifs of letters. */
const maxSerifs = 0.12;
/** It does when ink touches it from above or below on this share of its length, in this many places. */
const minStems = { share: 0.2, count: 3 };
/** At least this share of a line's length is ink. */
const minInkShare = 0.7;
/** Images with more lines are photographs or patterns. */
const maxRules = 2_000;

/** A run of ink in one row of pixels. */
interface Stretch {
  row: number;
  from: number;
  to: number;
}

/** Connected runs that form one printed line. */
interface Trace {
  from: number;
  to: number;
  top: number;
  bottom: number;
  ink: number;
  last: Stretch;
}

/** Finds the straight, thin horizontal and vertical lines of an image. Returns none when there are too many. */
export function findRules(image: GreyImage): PixelRule[] {
  const { width, height } = image;
  const side = Math.min(width, height);
  const limits = {
    length: Math.max(minRuleShare * side, 20),
    thickness: Math.max(maxThickness * side, minThickness),
  };
  const darkest = inkShare * computePaper(image.pixels);
  const isDark = (x: number, y: number) => (image.pixels[y * width + x] as number) < darkest;
  const isFreeOfLetters = (dark: (row: number, place: number) => boolean, rows: number) => (trace: Trace) =>
    trace.to - trace.from >= maxSerifs * side || !touchesLetters(trace, rows, dark);
  const isLevelInk = (row: number, place: number) => isDark(place, row);
  const level = listTraces(height, width, isLevelInk, limits).filter(isFreeOfLetters(isLevelInk, height));
  const upright = listTraces(width, height, isDark, limits).filter(isFreeOfLetters(isDark, width));
  const rules = [...level.map((trace) => buildRule(trace, 'h')), ...upright.map((trace) => buildRule(trace, 'v'))];
  return rules.length > maxRules ? [] : rules;
}

function buildRule({ from, to, top, bottom }: Trace, axis: PixelRule['axis']): PixelRule {
  return { axis, at: (top + bottom + 1) / 2, from, to: to + 1 };
}

/** Finds lines along the rows of an image that is scanned row by row. */
function listTraces(
  rows: number,
  length: number,
  isDark: (row: number, place: number) => boolean,
  limits: { length: number; thickness: number },
): Trace[] {
  const done: Trace[] = [];
  let open: Trace[] = [];
  for (let row = 0; row < rows; row += 1) {
    for (const stretch of listStretches(row, length, isDark, limits.length / 2)) open = mergeInto(open, stretch);
    done.push(...open.filter(({ last }) => row - last.row >= gap));
    open = open.filter(({ last }) => row - last.row < gap);
  }
  return [...done, ...open].filter((trace) => isRule(trace, limits));
}

function listStretches(
  row: number,
  length: number,
  isDark: (row: number, place: number) => boolean,
  minLength: number,
): Stretch[] {
  const stretches: Stretch[] = [];
  let from = -1;
  let to = -1;
  for (let place = 0; place < length; place += 1) {
    if (!isDark(row, place)) continue;
    if (from >= 0 && place - to > gap) {
      if (to - from >= minLength) stretches.push({ row, from, to });
      from = place;
    }
    if (from < 0) from = place;
    to = place;
  }
  if (from >= 0 && to - from >= minLength) stretches.push({ row, from, to });
  return stretches;
}

/** Merges the run with all traces that it touches. */
function mergeInto(open: readonly Trace[], stretch: Stretch): Trace[] {
  const isTouched = ({ last }: Trace) => last.from <= stretch.to + gap && last.to >= stretch.from - gap;
  const touched = open.filter(isTouched);
  const ink = stretch.to - stretch.from + 1;
  const newTrace: Trace = {
    from: stretch.from,
    to: stretch.to,
    top: stretch.row,
    bottom: stretch.row,
    ink,
    last: stretch,
  };
  const joined = touched.reduce(
    (all, trace) => ({
      from: Math.min(all.from, trace.from),
      to: Math.max(all.to, trace.to),
      top: Math.min(all.top, trace.top),
      bottom: all.bottom,
      ink: all.ink + trace.ink,
      last: stretch,
    }),
    newTrace,
  );
  return [...open.filter((trace) => !isTouched(trace)), joined];
}

/** True when stems of letters touch the trace from above or below, in several places and on much of its length. */
function touchesLetters(
  { from, to, top, bottom }: Trace,
  rows: number,
  isDark: (row: number, place: number) => boolean,
): boolean {
  return [top - 2, bottom + 2].some((row) => {
    if (row < 0 || row >= rows) return false;
    let ink = 0;
    let stems = 0;
    for (let place = from; place <= to; place += 1) {
      if (!isDark(row, place)) continue;
      ink += 1;
      if (place === from || !isDark(row, place - 1)) stems += 1;
    }
    return stems >= minStems.count && ink >= minStems.share * (to - from + 1);
  });
}

function isRule({ from, to, top, bottom, ink }: Trace, limits: { length: number; thickness: number }): boolean {
  const length = to - from + 1;
  const height = bottom - top + 1;
  return (
    length >= limits.length &&
    height <= limits.thickness + maxSlope * length &&
    ink / length <= limits.thickness &&
    ink / length >= minInkShare
  );
}
