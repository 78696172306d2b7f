import { type Box, computeCoverage, holds, meets, measureOverlapX, measureOverlapY, union } from '../geometry/box';
import { getRuleBox } from '../geometry/rulings';
import { isOnPlot } from '../table/plots';
import type { Line } from '../text/line';
import type { ReadPage } from '../text/upright';
import { isCaption, isFigureCaption } from './captions';
import { findGraphs } from './graphs';

/** An image or a drawing, with the lines inside it as labels. */
export interface Picture {
  box: Box;
  labels: Line[];
}

const minSide = 14;
const minDrawing = 56;
/** Minimum number of shapes in a drawing; fewer are a frame, an arrow or a decoration. */
const minShapes = 8;
/** Maximum number of words in labels; a box with more is a text box, not a drawing. */
const maxLabelWords = 150;
const maxShapes = 3000;
/** The share of a cluster of text boxes that icons and similar shapes may cover. */
const maxDrawn = 0.25;
/** The height of the background of a word, in type sizes, is less than this. */
const highlight = 2;
/** The maximum distance of labels outside a drawing, in points. */
const outerLabels = 8;
const captionReach = 30;
/** The maximum distance of a separate part of a drawing, in points. */
const partReach = 24;
/** The most words in a line inside a plot, such as a legend entry; the fewest labels of a drawing with axes. */
const longestPlotLabel = 10;
const minAxisLabels = 4;
/** The most words in an axis name. */
const longestAxisName = 7;
/** Shapes of a diagram are at most `gap` points apart. */
const diagram = { gap: 30, minHeight: 20, minRow: 3 };
/** A drawing too small for a figure: at least `shapes` shapes, at most `gap` points apart. */
const logo = { shapes: 4, gap: 6, minSide: 14, longest: 100 };

/** Images and drawings of a page, overlapping ones joined. Excludes decorations, full-page backgrounds and tables. */
export function findPictures(page: ReadPage['page'], lines: readonly Line[], tables: readonly Box[]): Picture[] {
  const pageBox = { l: 0, b: 0, r: page.width, t: page.height };
  const inTable = (box: Box) => tables.some((table) => holds(table, box, 3));
  const isBackground = (box: Box) =>
    lines.length > 0 && (computeCoverage(pageBox, box) > 0.85 || (isPrintedOn(box, lines) && !hasCaption(box, lines)));
  const images = page.images.filter(
    (box) => box.r - box.l >= minSide && box.t - box.b >= minSide && !isBackground(box) && !inTable(box),
  );
  const pictures = findDrawings(page, lines, inTable);
  const graphs = findGraphs(page, lines).filter(({ box }) => !inTable(box) && !isMet(pictures, box));
  const taken = [...pictures, ...graphs];
  const drawings = [...taken, ...findDiagrams(page, lines, (box) => inTable(box) || isMet(taken, box))];
  const getLabels = (box: Box) => [
    ...new Set([
      ...drawings.filter((drawing) => holds(box, drawing.box)).flatMap(({ labels }) => labels),
      ...listImageLabels(box, lines),
    ]),
  ];
  const logos = findLogos(page, lines, inTable);
  return listClusters([...images, ...drawings.map(({ box }) => box), ...logos], 1).map(({ box }) => ({
    box,
    labels: getLabels(box),
  }));
}

/** Adds the areas of charts to the pictures; short lines inside a chart and at its axes become labels. */
export function addPlots(pictures: readonly Picture[], plots: readonly Box[], lines: readonly Line[]): Picture[] {
  const smallest = 0.95 * computeTypicalSize(lines);
  return plots.reduce<readonly Picture[]>((pictures, plot) => {
    const overlapping = pictures.filter(({ box }) => measureOverlapX(box, plot) > 0 && measureOverlapY(box, plot) > 0);
    const knownLabels = new Set(pictures.flatMap(({ labels }) => labels));
    const labels = lines.filter(
      (line) =>
        !knownLabels.has(line) &&
        line.words.length <= (isWithin(plot, line.box) ? longestPlotLabel : 4) &&
        !isCaption(line.text) &&
        isOnPlot([plot], line.box),
    );
    const inner = union([plot, ...overlapping.map((picture) => picture.box), ...labels.map((line) => line.box)]);
    const names = lines.filter(
      (line) =>
        !knownLabels.has(line) &&
        !labels.includes(line) &&
        !isCaption(line.text) &&
        (isAxisName(line, plot, inner) ||
          (line.size < smallest && isPlotTitle(line, plot, inner) && !continuesText(line, lines))),
    );
    const all = [...overlapping.flatMap((picture) => picture.labels), ...labels, ...names];
    const box = union([inner, ...names.map((line) => line.box)]);
    return [...pictures.filter((picture) => !overlapping.includes(picture)), { box, labels: all }];
  }, pictures) as Picture[];
}

/** True for an axis name: a few words centred just below the labels of the plot, or just above its left axis. */
function isAxisName({ box, words, size }: Line, plot: Box, inner: Box): boolean {
  if (words.length > longestAxisName) return false;
  const [below, above] = [inner.b - box.t, box.b - inner.t];
  const isCentred = Math.abs(box.l + box.r - plot.l - plot.r) / 2 < 0.1 * (plot.r - plot.l);
  if (below > -1 && below < 1.2 * size) return isCentred && box.l > plot.l && box.r < plot.r;
  return above > -0.5 * size && above < 0.8 * size && box.l < plot.l && box.r < plot.l + 0.25 * (plot.r - plot.l);
}

/** True for a few words centred close above a plot. */
function isPlotTitle({ box, words, size }: Line, plot: Box, inner: Box): boolean {
  const above = box.b - inner.t;
  const isCentred = Math.abs(box.l + box.r - plot.l - plot.r) / 2 < 0.1 * (plot.r - plot.l);
  return isCentred && words.length <= longestPlotLabel && above > -1 && above < 2.5 * size;
}

/** True for a line close below another one that overlaps it. */
function continuesText({ box, size, baseline }: Line, lines: readonly Line[]): boolean {
  const isAbove = (other: Line) => other.baseline > baseline + 1 && other.baseline - baseline < 1.6 * size;
  return lines.some((other) => isAbove(other) && measureOverlapX(other.box, box) > 0);
}

/** Adds the sideways lines beside drawings with words, such as axis names, which may have several lines. */
export function addAside(pictures: readonly Picture[], aside: readonly Line[]): Picture[] {
  return pictures.map((picture) => {
    if (picture.labels.length < minAxisLabels) return picture;
    let { box, labels } = picture;
    let sideLines = listLinesBeside(box, aside);
    while (sideLines.length > 0) {
      box = union([box, ...sideLines.map((line) => line.box)]);
      labels = [...labels, ...sideLines];
      sideLines = listLinesBeside(
        box,
        aside.filter((line) => !labels.includes(line)),
      );
    }
    return { box, labels };
  });
}

function listLinesBeside(box: Box, aside: readonly Line[]): Line[] {
  return aside.filter(
    (line) =>
      measureOverlapX(box, line.box) > -outerLabels && measureOverlapY(box, line.box) > 0.8 * (line.box.t - line.box.b),
  );
}

/** True for the background of running text, or of a heading of about its height. */
function isPrintedOn(box: Box, lines: readonly Line[]): boolean {
  const inside = lines.filter((line) => isWithin(box, line.box));
  const running = inside.filter(({ words, box: { l, r } }) => words.length > 4 && r - l > 0.3 * (box.r - box.l));
  return running.length > 2 || inside.some(({ size }) => box.t - box.b < 2.5 * size);
}

/** Labels printed on an image that has a figure caption: few short lines, none larger than the body text. */
function listImageLabels(box: Box, lines: readonly Line[]): Line[] {
  const inside = lines.filter((line) => isWithin(box, line.box));
  if (inside.length === 0 || !hasCaption(box, lines) || !isLabelled(inside, true)) return [];
  const typeSize = computeTypicalSize(lines);
  return inside.every(({ size }) => size <= typeSize) ? inside : [];
}

function isWithin(outer: Box, inner: Box): boolean {
  return inner.l >= outer.l - 1 && inner.r <= outer.r + 1 && inner.b >= outer.b - 1 && inner.t <= outer.t + 1;
}

function findDrawings(page: ReadPage['page'], lines: readonly Line[], inTable: (box: Box) => boolean): Picture[] {
  const shapes = new Set([...page.drawings, ...page.fills]);
  if (shapes.size < minShapes / 2) return [];
  const bullets = new Set(page.bullets);
  const isPartOfText = (shape: Box) =>
    !shapes.has(shape) ||
    bullets.has(shape) ||
    lines.some((line) => isWithin(shape, line.box) || isBehindWord(shape, line));
  const usable = [...shapes, ...page.rules.map(getRuleBox)].filter(
    (box) => !inTable(box) && computeCoverage({ l: 0, b: 0, r: page.width, t: page.height }, box) < 0.5,
  );
  // Text larger than the body text is not a label: a banner with a title is not a drawing.
  const typeSize = computeTypicalSize(lines);
  const clusters = listClusters(usable, 12);
  return clusters.flatMap(({ box, members }) => {
    const isLarge = box.r - box.l >= minDrawing && box.t - box.b >= minDrawing;
    const filled = members.filter((member) => shapes.has(member)).length;
    const isDense = members.length >= minShapes && filled >= minShapes / 2;
    if (!isLarge || !isDense || computeCoverage({ l: 0, b: 0, r: page.width, t: page.height }, box) > 0.6) return [];
    const labels = lines.filter((line) => holds(box, line.box));
    const isFigure = hasCaption(box, lines);
    if (
      !isFigure &&
      (members.every(isPartOfText) ||
        labels.some(({ size }) => size > 1.4 * typeSize) ||
        areBoxesOfText(page, { box, members }, labels))
    )
      return [];
    if (!isLabelled(labels, isFigure)) return [];
    const parts = clusters.filter((part) => part.box !== box && isApart(part.box, box, lines));
    const whole = union([box, ...parts.map((part) => part.box)]);
    return [addOuterLabels({ box: whole, labels }, lines)];
  });
}

/** True for the background of words within a line, such as names in a browser's code style. */
function isBehindWord(shape: Box, { box, words, baseline, size }: Line): boolean {
  return (
    shape.b < baseline &&
    shape.t > baseline &&
    shape.t - shape.b < highlight * size &&
    (box.l < shape.l - 1 || box.r > shape.r + 1) &&
    words.some((word) => isWithin(shape, word.box))
  );
}

/**
 * True for a small part of a drawing that is apart from the rest, such as the colour scale of a map: level with it, close to it,
 * and without text in it. The numbers beside the scale are labels then.
 */
function isApart(part: Box, box: Box, lines: readonly Line[]): boolean {
  const [gapX, gapY] = [-measureOverlapX(part, box), -measureOverlapY(part, box)];
  const isLevel = gapY < 0 && part.b > box.b - outerLabels && part.t < box.t + outerLabels;
  const isSmall = part.r - part.l < (box.r - box.l) / 4 && Math.min(part.r - part.l, part.t - part.b) > 4;
  return isLevel && isSmall && gapX < partReach && !lines.some((line) => meets(line.box, part));
}

/** True for boxes with words and hardly any other shapes: cards, statement bars, heading frames. */
function areBoxesOfText(
  page: ReadPage['page'],
  { box, members }: { box: Box; members: readonly Box[] },
  labels: readonly Line[],
): boolean {
  const words = labels.filter(({ text }) => /\p{L}{3}/u.test(text));
  if (words.length === 0) return false;
  const boxes = new Set([...page.fills, ...(page.panels ?? [])]);
  const isHolder = (member: Box) => boxes.has(member) && words.some((line) => isWithin(member, line.box));
  const holders = members.filter(isHolder);
  const heldWords = words.filter((line) => holders.some((holder) => isWithin(holder, line.box)));
  // Rules are not shapes: their boxes have no area.
  const drawn = members
    .filter((member) => !holders.includes(member))
    .reduce((sum, { l, r, b, t }) => sum + (r - l) * (t - b), 0);
  return heldWords.length > 0.5 * words.length && drawn < maxDrawn * (box.r - box.l) * (box.t - box.b);
}

function isMet(pictures: readonly { box: Box }[], box: Box): boolean {
  return pictures.some((picture) => measureOverlapX(picture.box, box) > 0 && measureOverlapY(picture.box, box) > 0);
}

/** Diagrams of a few labelled shapes: those with a figure caption, and rows of equal shapes with words past their sides. */
function findDiagrams(page: ReadPage['page'], lines: readonly Line[], isTaken: (box: Box) => boolean): Picture[] {
  const pageBox = { l: 0, b: 0, r: page.width, t: page.height };
  const shapes = [...page.drawings, ...page.fills].filter(
    (box) => !isTaken(box) && computeCoverage(pageBox, box) < 0.3 && box.r - box.l > 8 && box.t - box.b > 8,
  );
  if (shapes.length < 2 || shapes.length > maxShapes) return [];
  const typeSize = computeTypicalSize(lines);
  const labelPictures = ({ box, members }: { box: Box; members: Box[] }, isFigure: boolean): Picture[] => {
    const labels = lines.filter((line) => members.some((member) => holds(member, line.box)) || isWithin(box, line.box));
    const isText = labels.some(({ words, size }) => words.length > 8 || size > 1.4 * typeSize);
    return isText || !isLabelled(labels, isFigure) ? [] : [addOuterLabels({ box, labels }, lines)];
  };
  const figures = listClusters(shapes, diagram.gap).filter(
    ({ box, members }) =>
      members.length > 1 && box.r - box.l >= minDrawing && box.t - box.b >= diagram.minHeight && hasCaption(box, lines),
  );
  const rows = listShapeRows(
    page.drawings.filter((box) => shapes.includes(box)),
    lines,
  );
  return [
    ...figures.flatMap((figure) => labelPictures(figure, true)),
    ...rows.filter(({ box }) => !isMet(figures, box)).flatMap((row) => labelPictures(row, false)),
  ];
}

/** Rows of equal shapes side by side, each overlapped by a line that extends past its sides, so that none is a text box. */
function listShapeRows(shapes: readonly Box[], lines: readonly Line[]): { box: Box; members: Box[] }[] {
  const rows: Box[][] = [];
  for (const box of shapes.toSorted((a, b) => a.l - b.l)) {
    if (Math.min(box.r - box.l, box.t - box.b) < diagram.minHeight) continue;
    const row = rows.find(
      ([first, ...others]) => first && isAlike(first, box) && (others.at(-1) ?? first).r <= box.l + 1,
    );
    if (row) row.push(box);
    else rows.push([box]);
  }
  const isRunOver = (box: Box) =>
    lines.some(
      (line) =>
        measureOverlapX(line.box, box) > 0 &&
        measureOverlapY(line.box, box) > 0 &&
        (line.box.l < box.l - 2 || line.box.r > box.r + 2),
    );
  return rows.flatMap((members) => {
    const isRow = members.length >= diagram.minRow && members.every(isRunOver);
    if (!isRow) return [];
    const across = union(members);
    const labels = lines.filter(
      (line) => measureOverlapX(line.box, across) > 0 && measureOverlapY(line.box, across) > 0,
    );
    return [{ box: union([across, ...labels.map((line) => line.box)]), members }];
  });
}

/** True for boxes of the same width and vertical position. */
function isAlike(a: Box, b: Box): boolean {
  return Math.abs(a.b - b.b) < 2 && Math.abs(a.t - b.t) < 2 && Math.abs(a.r - a.l - b.r + b.l) < 2;
}

/** Curved shapes close together without text: a company logo, or words drawn as curves. */
function findLogos(page: ReadPage['page'], lines: readonly Line[], inTable: (box: Box) => boolean): Box[] {
  if (page.drawings.length < logo.shapes) return [];
  const curves = new Set(page.drawings);
  const strokes = page.rules.filter(({ from, to }) => to - from < logo.longest).map(getRuleBox);
  return listClusters([...curves, ...strokes], logo.gap).flatMap(({ box, members }) => {
    const [wide, high] = [box.r - box.l, box.t - box.b];
    const isSized = Math.min(wide, high) >= logo.minSide && Math.max(wide, high) >= 2 * logo.minSide;
    const isSmall = computeCoverage({ l: 0, b: 0, r: page.width, t: page.height }, box) < 0.1;
    const curved = members.filter((member) => curves.has(member)).length;
    if (curved < logo.shapes || !isSized || !isSmall || inTable(box)) return [];
    return lines.some((line) => measureOverlapX(line.box, box) > 0 && measureOverlapY(line.box, box) > 0) ? [] : [box];
  });
}

/** Adds short small lines near a drawing, such as numbers on its axes, and those next to them, such as axis names. */
function addOuterLabels({ box, labels }: Picture, lines: readonly Line[], rounds = 2): Picture {
  const typeSize = computeTypicalSize(lines);
  const outer = lines.filter(
    (line) =>
      !labels.includes(line) &&
      (line.size < 0.95 * typeSize || isFigure(line.text)) &&
      line.words.length <= 4 &&
      !isCaption(line.text) &&
      measureOverlapX(box, line.box) > -outerLabels &&
      measureOverlapY(box, line.box) > -outerLabels,
  );
  if (outer.length === 0 || rounds === 0) return { box, labels };
  const grown = { box: union([box, ...outer.map((line) => line.box)]), labels: [...labels, ...outer] };
  return addOuterLabels(grown, lines, rounds - 1);
}

/** The type size of most characters; labels may outnumber the lines of text. */
function computeTypicalSize(lines: readonly Line[]): number {
  const counts = new Map<number, number>();
  for (const { size, text } of lines) counts.set(size, (counts.get(size) ?? 0) + text.length);
  return [...counts].reduce((max, count) => (count[1] > max[1] ? count : max), [0, 0])[0];
}

function isFigure(text: string): boolean {
  return /^[-–−+]?[$€£]?\d[\d.,]*\s?[%kKM]?$/.test(text);
}

/** True for few and short labels; other text must not be hidden in a picture. */
function isLabelled(labels: readonly Line[], isFigure: boolean): boolean {
  const words = labels.reduce((sum, line) => sum + line.words.length, 0);
  const long = labels.filter((line) => line.words.length > 8).length;
  return words <= maxLabelWords && long <= (isFigure ? maxLabelWords / 8 : 2);
}

/** True if a figure caption is just above or below the box. */
function hasCaption(box: Box, lines: readonly Line[]): boolean {
  return lines.some(
    (line) =>
      isFigureCaption(line.text) &&
      measureOverlapX(box, line.box) > 0 &&
      Math.max(line.box.b - box.t, box.b - line.box.t) < captionReach &&
      !holds(box, line.box),
  );
}

/** Groups boxes that are within `slack` points of each other. */
function listClusters(boxes: readonly Box[], slack: number): { box: Box; members: Box[] }[] {
  let groups = boxes.slice(0, maxShapes).map((box) => ({ box, members: [box] }));
  for (let changed = true; changed;) {
    changed = false;
    const next: typeof groups = [];
    for (const group of groups) {
      const near = next.find(({ box }) => meets(box, group.box, slack));
      if (near) {
        near.box = union([near.box, group.box]);
        near.members.push(...group.members);
        changed = true;
      } else next.push(group);
    }
    groups = next;
  }
  return groups;
}
