import type { Rule } from '../pdf/geometry/page';
import { findChild, listElements, type XmlElement } from '../xml/xml';

type Point = { x: number; y: number };

/** The outline of a path. Control points of curves are among the points. */
export interface Outline {
  points: Point[];
  /** Straight lines as pairs of points. */
  lines: [Point, Point][];
  hasCurves: boolean;
}

/** Maximum points read per path: maps and plots have hundreds of thousands. */
const maxPoints = 20_000;
/** Two coordinates at most this far apart, in points of type, are equal. */
const tolerance = 0.7;
/** Number of parameters of each command. */
const parameterCounts: Readonly<Record<string, number>> = { M: 2, L: 2, H: 1, V: 1, C: 6, Q: 4, S: 4, A: 7, Z: 0 };

function createOutline(): Outline {
  return { points: [], lines: [], hasCurves: false };
}

/** Reads the abbreviated syntax of geometries, such as `M 0,0 L 10,0 Z` (ECMA-388, 11.2.3). */
export function readPathData(data: string): Outline {
  const tokens = data.match(/[A-Za-z]|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/g) ?? [];
  const pen = createPen(createOutline());
  let command = '';
  // The fill rule, `F0` or `F1`, is before the first figure.
  let at = tokens[0]?.toUpperCase() === 'F' ? 2 : 0;
  while (at < tokens.length && pen.outline.points.length < maxPoints) {
    const token = tokens[at]!;
    if (/^[A-Za-z]$/.test(token)) {
      command = token;
      at += 1;
    }
    const count = parameterCounts[command.toUpperCase()];
    if (count === undefined) break;
    const numbers = tokens.slice(at, at + count).map(Number);
    if (numbers.length < count || numbers.some(Number.isNaN)) break;
    at += count;
    drawCommand(pen, command, numbers);
    if (count === 0) command = '';
    // Points after a move are lines.
    if (command === 'M') command = 'L';
    if (command === 'm') command = 'l';
  }
  return pen.outline;
}

/** Reads the figures of `PathGeometry` elements. */
export function readGeometry(geometry: XmlElement): Outline {
  const figures = geometry.attributes['Figures'];
  if (figures !== undefined) return readPathData(figures);
  const pen = createPen(createOutline());
  for (const figure of listElements(geometry, 'PathFigure')) {
    const [start] = readPoints(figure.attributes['StartPoint']);
    if (!start) continue;
    pen.move(start);
    for (const segment of figure.children) {
      if (typeof segment === 'string') continue;
      const points = readPoints(segment.attributes['Points'] ?? segment.attributes['Point']);
      if (segment.name === 'PolyLineSegment') for (const point of points) pen.line(point);
      else pen.curve(points);
    }
    if (/^true$/i.test(figure.attributes['IsClosed'] ?? '')) pen.close();
    if (pen.outline.points.length > maxPoints) break;
  }
  return pen.outline;
}

/** Returns the geometry element of a path, if its shape is not an attribute. */
export function findGeometry(path: XmlElement): XmlElement | undefined {
  return findChild(findChild(path, 'Path.Data'), 'PathGeometry');
}

/** Returns the lines as rulings; undefined if any of them is slanted. */
export function toRules(lines: readonly (readonly [Point, Point])[]): Rule[] | undefined {
  const rules: Rule[] = [];
  for (const [start, end] of lines) {
    const [dx, dy] = [Math.abs(start.x - end.x), Math.abs(start.y - end.y)];
    if (dx < tolerance && dy < tolerance) continue;
    if (dy < tolerance) rules.push({ axis: 'h', at: (start.y + end.y) / 2, ...toRange(start.x, end.x) });
    else if (dx < tolerance) rules.push({ axis: 'v', at: (start.x + end.x) / 2, ...toRange(start.y, end.y) });
    else return undefined;
  }
  return rules;
}

function toRange(start: number, end: number): { from: number; to: number } {
  return { from: Math.min(start, end), to: Math.max(start, end) };
}

interface Pen {
  outline: Outline;
  at: Point;
  move(to: Point): void;
  line(to: Point): void;
  /** Adds a curve by its control points; the last one is its end. */
  curve(points: readonly Point[]): void;
  close(): void;
}

function createPen(outline: Outline): Pen {
  let start: Point = { x: 0, y: 0 };
  const pen: Pen = {
    outline,
    at: start,
    move(to) {
      start = to;
      pen.at = to;
      outline.points.push(to);
    },
    line(to) {
      outline.lines.push([pen.at, to]);
      outline.points.push(to);
      pen.at = to;
    },
    curve(points) {
      outline.hasCurves = true;
      outline.points.push(...points.slice(0, maxPoints));
      pen.at = points.at(-1) ?? pen.at;
    },
    close() {
      outline.lines.push([pen.at, start]);
      pen.at = start;
    },
  };
  return pen;
}

function drawCommand(pen: Pen, command: string, numbers: readonly number[]): void {
  const from = command === command.toLowerCase() ? pen.at : { x: 0, y: 0 };
  const point = (index: number) => ({ x: from.x + (numbers[index] ?? 0), y: from.y + (numbers[index + 1] ?? 0) });
  switch (command.toUpperCase()) {
    case 'M':
      return pen.move(point(0));
    case 'L':
      return pen.line(point(0));
    case 'H':
      return pen.line({ x: from.x + numbers[0]!, y: pen.at.y });
    case 'V':
      return pen.line({ x: pen.at.x, y: from.y + numbers[0]! });
    case 'C':
      return pen.curve([point(0), point(2), point(4)]);
    case 'Q':
    case 'S':
      return pen.curve([point(0), point(2)]);
    case 'A':
      return pen.curve([point(5)]);
    default:
      return pen.close();
  }
}

function readPoints(text: string | undefined): Point[] {
  const numbers = (text ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  return Array.from({ length: Math.floor(numbers.length / 2) }, (_, index) => ({
    x: numbers[2 * index]!,
    y: numbers[2 * index + 1]!,
  })).filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
}
