import type { PageImage } from '../../../model/page/page-models';
import { describeText, type PageText } from '../account/page-text';
import { cleanGlyphs, type DropReason, findMainRotation, turnGlyphs } from '../engine/characters';
import { addDrawnSigns } from '../engine/drawn-signs';
import type { Box } from '../geometry/box';
import { createFrame, createFrameBox } from '../geometry/frame';
import type { Glyph, RawPage, Rule } from '../geometry/page';
import { getRuleBox } from '../geometry/rulings';
import { joinAtPictures } from '../inline/inline-pictures';
import type { FoundRegion } from '../layout/regions';
import { addDrawnBullets } from '../lists/drawn-bullets';
import { readTypedBullets } from '../lists/typed-bullets';
import { readComparisons } from './comparisons';
import { takeDashRules } from './dash-rules';
import { addDrawnBoxes } from './drawn-boxes';
import type { Line } from './line';
import { buildLines } from './lines';
import { findSlantedLines } from './slanted';
import { markVertical } from './vertical';

/** A page with its lines, in the coordinates in which most of its text is upright. */
export interface ReadPage {
  /** Without its glyphs, to save memory. */
  page: Omit<RawPage, 'glyphs'> & {
    /** Those of the shapes that are bullets of list items. */
    bullets?: Box[];
  };
  /** Size of the page as displayed. */
  width: number;
  height: number;
  lines: Line[];
  /** Text rotated relative to the rest, such as a stamp at the margin or a rotated column header. */
  aside: Line[];
  /** Clockwise degrees from the page as displayed to its upright lines; absent: none. */
  turned?: PageImage['turned'];
  /** Regions found by a layout model; absent if none has run. */
  regions?: FoundRegion[];
  text: PageText;
  /** Converts back to the coordinates of the page as displayed. */
  toPage: (box: Box) => Box;
}

/** Builds lines from glyphs; first turns a page whose text mostly runs sideways. */
export function readLines(raw: RawPage): ReadPage {
  const dropped: Record<DropReason, Glyph[]> = { hidden: [], outside: [], unnamed: [] };
  const glyphs = markVertical(cleanGlyphs(raw, (glyph, reason) => void dropped[reason].push(glyph)));
  const rotation = findMainRotation(glyphs);
  const page = rotation === 0 ? raw : turnPage(raw, rotation);
  const turned = turnGlyphs(glyphs, rotation, raw);
  const isMixed = turned.some((glyph) => glyph.rotation !== 0);
  const selectTurned = (angle: number) => {
    if (isMixed) return turned.filter((glyph) => glyph.rotation === angle);
    return angle === 0 ? turned : [];
  };
  const { glyphs: _read, dots: _dots, ...rest } = page;
  const read = readTypedBullets(buildLines(addDrawnSigns(selectTurned(0), page.rules)));
  const bullets = addDrawnBullets(page, read);
  const strokes = addDrawnBoxes(page, read);
  readComparisons(read, page.rules);
  const whole = joinAtPictures(read, { ...page, ...strokes });
  const typed = takeDashRules(whole.filter(({ words }) => words.length > 0));
  const { lines } = typed;
  return {
    text: describeText(glyphs, dropped),
    page: { ...rest, ...strokes, bullets, rules: [...(strokes.rules ?? rest.rules), ...typed.rules] },
    width: raw.width,
    height: raw.height,
    lines,
    aside: [
      ...[90, 180, 270].flatMap((angle) => listAsideLines(selectTurned(angle), angle, page)),
      ...findSlantedLines(isMixed ? turned.filter((glyph) => glyph.rotation % 90 !== 0) : []),
    ],
    turned: ((rotation + (raw.turned ?? 0)) % 360) as PageImage['turned'],
    toPage: createTurnerBack(rotation, page),
  };
}

/** Lines of sideways glyphs, in the coordinates of the upright ones. */
function listAsideLines(glyphs: readonly Glyph[], angle: number, page: RawPage): Line[] {
  if (glyphs.length === 0) return [];
  const turned = angle === 180 ? page : { width: page.height, height: page.width };
  const back = createTurnerBack(angle, turned);
  return buildLines(turnGlyphs(glyphs, angle, page)).map((line) => ({
    ...line,
    isAside: true,
    box: back(line.box),
    words: line.words.map((word) => ({ ...word, box: back(word.box) })),
  }));
}

/** Returns a function that undoes a clockwise turn; `turned` is the page size after it. */
export function createTurnerBack(angle: number, turned: { width: number; height: number }): (box: Box) => Box {
  if (angle === 0) return (box) => box;
  const frame = createFrame({ l: 0, b: 0, r: turned.width, t: turned.height }, 360 - angle);
  return ({ l, b, r, t }) => createFrameBox(frame, l, b, r, t);
}

function turnPage(page: RawPage, rotation: number): RawPage {
  const frame = createFrame({ l: 0, b: 0, r: page.width, t: page.height }, rotation);
  const turn = ({ l, b, r, t }: Box) => createFrameBox(frame, l, b, r, t);
  const turnRule = (rule: Rule): Rule => {
    const { l, b, r, t } = turn(getRuleBox(rule));
    return r - l > t - b ? { axis: 'h', at: b, from: l, to: r } : { axis: 'v', at: l, from: b, to: t };
  };
  return {
    ...page,
    width: frame.width,
    height: frame.height,
    rules: page.rules.map(turnRule),
    fills: page.fills.map(turn),
    drawings: page.drawings.map(turn),
    ...(page.panels ? { panels: page.panels.map(turn) } : {}),
    ...(page.dots ? { dots: page.dots.map(turn) } : {}),
    images: page.images.map(turn),
    ...(page.struck ? { struck: page.struck.map(turn) } : {}),
    links: page.links.map(({ box, uri }) => ({ box: turn(box), uri })),
  };
}
