import { findLargest, findSmallest } from '../extremes';
import { type PageInfo, type Rectangle, turnRectangle } from './page-info';

/** An area of a page with an address or a comment. */
export interface MapArea {
  uri: string;
  comment: string;
  box: Rectangle;
}

const maxAreas = 20_000;
/** `(maparea "address" "comment" (rect x y width height) …)`; the address may be `(url "address" "frame")`. */
const mapArea =
  /\(maparea\s{1,20}(?:\(url\s{1,20})?"((?:[^"\\]|\\[^])*)"(?:\s{1,20}"(?:[^"\\]|\\[^])*"\s{0,20}\))?\s{0,20}"((?:[^"\\]|\\[^])*)"\s{0,20}\((rect|oval|text|line|poly)((?:\s{1,20}-?\d{1,6}){4,200})/g;

/** Reads the areas with links and comments from the annotations of a page (DjVu 3 specification, 8.3.4.2). */
export function readMapAreas(annotations: string, info: PageInfo): MapArea[] {
  const areas: MapArea[] = [];
  for (const [, uri = '', comment = '', shape, places = ''] of annotations.matchAll(mapArea)) {
    if (areas.length >= maxAreas) break;
    const numbers = places.trim().split(/\s+/).map(Number);
    const isOutline = shape === 'poly' || shape === 'line';
    areas.push({
      uri: unescapeText(uri),
      comment: unescapeText(comment).trim(),
      box: turnRectangle(isOutline ? readBounds(numbers) : readRectangle(numbers), info),
    });
  }
  return areas;
}

function readRectangle([l = 0, b = 0, width = 0, height = 0]: readonly number[]): Rectangle {
  return { l, b, r: l + width, t: b + height };
}

/** Returns the smallest rectangle around the points `x y x y …`. */
function readBounds(numbers: readonly number[]): Rectangle {
  const xs = numbers.filter((_, index) => index % 2 === 0);
  const ys = numbers.filter((_, index) => index % 2 === 1);
  return { l: findSmallest(xs), b: findSmallest(ys), r: findLargest(xs), t: findLargest(ys) };
}

function unescapeText(text: string): string {
  return text.replace(/\\(["\\])/g, '$1');
}
