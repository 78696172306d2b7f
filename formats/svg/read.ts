import { createDocument } from '../../document/builder';
import type { Provenance } from '../../document/model';
import { AppError } from '../../model/errors';
import { type ReadDocument, getStem } from '../format';
import { identity, type Matrix, toPoint } from '../matrix';
import { sortReadingRows, type RowPlace } from '../reading-rows';
import { findChild, listElements, joinText, type XmlElement } from '../xml/xml';
import { parseXmlDocument } from '../xml/xml-document';
import { parseTransform } from './transform';

interface DrawnText extends RowPlace {
  text: string;
}

/** Values that elements inherit. */
interface Scope {
  transform: Matrix;
  fontSize: number;
}

const prefixes = {
  'http://www.w3.org/2000/svg': '',
  'http://www.w3.org/1999/xhtml': 'html',
  'http://www.w3.org/1999/xlink': 'xlink',
};
const skippedElements = new Set([
  'style',
  'script',
  'defs',
  'symbol',
  'metadata',
  'clipPath',
  'mask',
  'pattern',
  'marker',
]);

/** The size of `medium` in browsers. */
const defaultFontSize = 16;
/** The size of drawings without one in browsers. */
const defaultSize = { width: 300, height: 150 };

/** Reads a drawing as one page: its title and description, then its texts row by row from the top left. */
export const read: ReadDocument = (bytes, options) => {
  const root = parseXmlDocument(bytes, options, { prefixes, skip: skippedElements });
  if (root.name !== 'svg')
    throw new AppError('DOCUMENT_CORRUPT', `'${options.name}' is not SVG: its root element is <${root.name}>.`);
  const builder = createDocument(getStem(options.name));
  const [left, top, width, height] = readViewBox(root);
  builder.page(1, width, height);
  const title = readText(findChild(root, 'title'));
  if (title !== '') builder.text('title', title);
  const description = readText(findChild(root, 'desc'));
  if (description !== '') builder.text('text', description);
  const texts: DrawnText[] = [];
  collectTexts(texts, root, { transform: identity, fontSize: defaultFontSize });
  for (const { text, left: x, top: y, bottom } of sortReadingRows(texts)) {
    // The width depends on the typeface; this assumes half the height per character.
    const right = x + (text.length * (bottom - y)) / 2;
    const bbox = { l: x - left, t: y - top, r: right - left, b: bottom - top, coord_origin: 'TOPLEFT' as const };
    const prov: Provenance[] = [{ page_no: 1, bbox, charspan: [0, text.length] }];
    builder.text('text', text, { prov });
  }
  return builder.document;
};

function readViewBox({ attributes }: XmlElement): [left: number, top: number, width: number, height: number] {
  const numbers = (attributes['viewBox'] ?? '').split(/[\s,]+/).map(Number);
  if (numbers.length === 4 && numbers.every(Number.isFinite)) return numbers as [number, number, number, number];
  const width = Number.parseFloat(attributes['width'] ?? '') || defaultSize.width;
  const height = Number.parseFloat(attributes['height'] ?? '') || defaultSize.height;
  return [0, 0, width, height];
}

function collectTexts(texts: DrawnText[], parent: XmlElement, outer: Scope): void {
  for (const element of listElements(parent)) {
    if (isHidden(element)) continue;
    const scope = {
      transform: parseTransform(element.attributes['transform'], outer.transform),
      fontSize: findFontSize(element) ?? outer.fontSize,
    };
    if (element.name === 'text') addText(texts, element, scope);
    else if (element.name === 'foreignObject') addForeignObject(texts, element, scope);
    else if (element.name !== 'title' && element.name !== 'desc') collectTexts(texts, element, scope);
  }
}

function isHidden({ attributes }: XmlElement): boolean {
  return (
    attributes['display'] === 'none' ||
    attributes['visibility'] === 'hidden' ||
    /display\s*:\s*none/.test(attributes['style'] ?? '')
  );
}

function findFontSize({ attributes }: XmlElement): number | undefined {
  const size = attributes['font-size'] ?? /font-size\s*:\s*([^;]+)/.exec(attributes['style'] ?? '')?.[1];
  return Number.parseFloat(size ?? '') || undefined;
}

/** Adds a text. Spans positioned further down the page are lines of one text. */
function addText(texts: DrawnText[], element: XmlElement, { transform, fontSize }: Scope): void {
  const lines: string[] = [''];
  const add = (parent: XmlElement): void => {
    for (const node of parent.children) {
      if (typeof node === 'string') lines[lines.length - 1] += node.replaceAll(/\s+/g, ' ');
      else if (!isHidden(node) && node.name !== 'title' && node.name !== 'desc') {
        const isMoved = node.attributes['y'] !== undefined || Number.parseFloat(node.attributes['dy'] ?? '0') !== 0;
        if (node.name === 'tspan' && isMoved && lines.at(-1)!.trim() !== '') lines.push('');
        add(node);
      }
    }
  };
  add(element);
  const text = lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
  if (text === '') return;
  const first = listElements(element, 'tspan')[0];
  const readNumber = (name: string) =>
    Number.parseFloat(element.attributes[name] ?? first?.attributes[name] ?? '0') || 0;
  placeText(texts, { text, x: readNumber('x'), y: readNumber('y') - fontSize }, { transform, fontSize });
}

function addForeignObject(texts: DrawnText[], element: XmlElement, scope: Scope): void {
  const text = readText(element);
  if (text === '') return;
  const [x, y] = ['x', 'y'].map((name) => Number.parseFloat(element.attributes[name] ?? '0') || 0);
  placeText(texts, { text, x: x!, y: y! }, scope);
}

function placeText(
  texts: DrawnText[],
  { text, x, y }: { text: string; x: number; y: number },
  { transform, fontSize }: Scope,
): void {
  const start = toPoint(transform, x, y);
  const below = toPoint(transform, x, y + fontSize);
  texts.push({ text, left: start.x, top: Math.min(start.y, below.y), bottom: Math.max(start.y, below.y) });
}

function readText(element: XmlElement | undefined): string {
  return element === undefined ? '' : joinText(element).replaceAll(/\s+/g, ' ').trim();
}
