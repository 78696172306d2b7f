import { findLargest } from '../../extremes';
import { splitAtUndrawnSpaces } from '../characters/undrawn-spaces';
import { computeMedian, union } from '../geometry/box';
import { groupBy } from '../geometry/group-by';
import type { Glyph, Run } from '../geometry/page';
import { findFirst } from '../geometry/strips';

/**
 * A position where cells begin: at least `rows` runs begin there, at least `apart` of them after a gap wider than their type
 * size.
 */
const minimum = { rows: 5, apart: 3 };
/** Minimum gap before a cell whose label fills its column, in type sizes and as a multiple of the usual word gap. */
const gap = { size: 0.45, words: 1.4 };
/** Smaller gaps, in type sizes, are gaps between letters. */
const minWhite = 0.15;
/** Minimum width of a label that fills its column, in type sizes; markers of list items are narrower. */
export const minLabel = 3;
/** The minimum gap between two rows that both have a cell at this position. */
export const gapBetween = 0.22;
/** Maximum distance of the next row with a cell at this position, in type sizes. */
const nearRow = 3;

/** The positions where cells begin, each with the baselines of its runs. */
type Starts = ReadonlyMap<number, readonly number[]>;

/**
 * Splits runs in which a label fills its column, so that the gap before the next cell is hardly wider than a space: other rows
 * show where that cell begins.
 */
export function splitAtCells(read: readonly Run[]): Run[] {
  const runs = splitAtUndrawnSpaces(read);
  const starts = findStarts(runs);
  if (starts.size === 0) return [...runs];
  const baselines = [...new Set([...starts.values()].flat())];
  return runs.flatMap((run) => {
    const isNear = baselines.some((at) => at !== run.baseline && Math.abs(at - run.baseline) < nearRow * run.size);
    if (!isNear) return [run];
    const cuts = listCuts(run, starts);
    const first = run.glyphs.find(({ text }) => text !== ' ');
    const isCell = first !== undefined && countCellRows(first, run, starts) === 2;
    const whole = isCell ? { ...run, startsCell: true } : run;
    if (cuts.length === 0) return [whole];
    const ends = [...cuts, run.glyphs.length];
    return [0, ...cuts].map((from, index) => buildPart(whole, from, ends[index] as number));
  });
}

function findStarts(runs: readonly Run[]): Starts {
  const counts = new Map<number, number>();
  for (const { box } of runs) counts.set(Math.round(box.l), (counts.get(Math.round(box.l)) ?? 0) + 1);
  const rows = groupBy(runs, ({ baseline }) => Math.round(baseline));
  const places = new Map<number, { baselines: number[]; apart: number }>();
  for (const run of runs) {
    if (run.rtl) continue;
    const place = Math.round(run.box.l);
    if ((counts.get(place) as number) < minimum.rows) continue;
    const placeStarts = places.get(place) ?? { baselines: [], apart: 0 };
    places.set(place, placeStarts);
    placeStarts.baselines.push(run.baseline);
    const row = rows.get(Math.round(run.baseline)) ?? [];
    const beside = row.filter(({ box }) => box.r < run.box.l + 1);
    const white = run.box.l - findLargest(beside.map(({ box }) => box.r));
    if (beside.length > 0 && white > run.size) placeStarts.apart += 1;
  }
  const isStart = ([, { baselines, apart }]: [number, { baselines: number[]; apart: number }]) =>
    baselines.length >= minimum.rows && apart >= minimum.apart;
  return new Map(
    [...places].filter(isStart).map(([place, { baselines }]) => [place, baselines.toSorted((a, b) => a - b)]),
  );
}

/** The indices of glyphs within the run at which a cell begins. */
function listCuts(run: Run, starts: Starts): number[] {
  if (run.rtl || run.glyphs.length < 4) return [];
  const [whites, cuts]: [number[], { index: number; white: number; isSure: boolean }[]] = [[], []];
  let last: Glyph | undefined;
  let start = run.box.l;
  for (const [index, glyph] of run.glyphs.entries()) {
    if (glyph.text === ' ') continue;
    const white = last ? glyph.box.l - last.box.r : 0;
    if (last && white > minWhite * run.size) {
      whites.push(white);
      const isLabel = last.box.r - start > minLabel * run.size;
      const rows = isLabel && white > gapBetween * run.size ? countCellRows(glyph, run, starts) : 0;
      if (rows === 2 || (rows === 1 && white > gap.size * run.size)) {
        cuts.push({ index, white, isSure: rows === 2 });
        start = glyph.box.l;
      }
    }
    last = glyph;
  }
  const others = whites.filter((white) => !cuts.some((cut) => cut.white === white));
  const spaceWidth = others.length > 0 ? computeMedian(others) : 0.28 * run.size;
  return cuts.filter(({ white, isSure }) => isSure || white > gap.words * spaceWidth).map(({ index }) => index);
}

/** Counts the rows near this one that have a cell beginning here: 2 if there is one above and one below. */
function countCellRows({ box }: Glyph, { baseline, size }: Run, starts: Starts): number {
  const place = Math.round(box.l);
  if (!starts.has(place) && !starts.has(place - 1) && !starts.has(place + 1)) return 0;
  const reach = nearRow * size;
  const hasRow = (low: number, high: number) =>
    [place - 1, place, place + 1].some((at) => {
      const baselines = starts.get(at) ?? [];
      const next = baselines[findFirst(baselines.length, (index) => (baselines[index] as number) > low)];
      return next !== undefined && next < high;
    });
  return Number(hasRow(baseline + 2, baseline + reach)) + Number(hasRow(baseline - reach, baseline - 2));
}

function buildPart(run: Run, from: number, to: number): Run {
  const glyphs = run.glyphs.slice(from, to);
  return { ...run, glyphs, box: union(glyphs.map(({ box }) => box)), ...(from > 0 ? { startsCell: true } : {}) };
}
