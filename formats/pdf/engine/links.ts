import { type Box, holds } from '../geometry/box';
import { type Frame, createFrameBox } from '../geometry/frame';
import type { PageLink } from '../geometry/page';
import type { Line } from '../text/line';
import { readCorners } from './annotations';
import { allocate, type Pdfium } from './pdfium';

/** Only malicious files have pages with more links. */
const maxLinks = 5_000;
const uriAction = 3;
const maxUriBytes = 8_192;

/** Areas of one link; a link of many lines has one for each. */
const maxAreas = 200;
/** Areas of a link that are beyond its box by more than this, in points, are ignored (ISO 32000-1, 12.5.6.5). */
const areaSlack = 1;

/** Reads the areas of a page that link to web, mail, FTP or phone addresses. */
export function readLinks(pdfium: Pdfium, document: number, page: number, frame: Frame): PageLink[] {
  const memory = allocate(pdfium, 32);
  const links: PageLink[] = [];
  try {
    pdfium.HEAPU8.fill(0, memory.address, memory.address + 32);
    while (links.length < maxLinks && pdfium._FPDFLink_Enumerate(page, memory.address, memory.address + 4) !== 0) {
      const link = memory.int(1);
      const uri = getUri(pdfium, document, link);
      if (uri === '' || pdfium._FPDFLink_GetAnnotRect(link, memory.address + 8) === 0) continue;
      const [l, t, r, b] = [memory.float(2), memory.float(3), memory.float(4), memory.float(5)];
      const box = createFrameBox(frame, l, b, r, t);
      const areas = readAreas(pdfium, link, frame);
      const isWhole = areas.length === 0 || !areas.every((area) => holdsWhole(box, area));
      for (const area of isWhole ? [box] : areas) links.push({ box: area, uri });
    }
  } finally {
    memory.free();
  }
  return links;
}

/** The quadrilaterals that a link lists: the parts of its lines that it covers. */
function readAreas(pdfium: Pdfium, link: number, frame: Frame): Box[] {
  const count = Math.min(pdfium._FPDFLink_CountQuadPoints(link), maxAreas);
  return Array.from({ length: Math.max(count, 0) }, (_, index) =>
    readCorners(pdfium, frame, (address) => pdfium._FPDFLink_GetQuadPoints(link, index, address)),
  ).filter((box) => box !== undefined);
}

function holdsWhole(outer: Box, { l, b, r, t }: Box): boolean {
  return l >= outer.l - areaSlack && b >= outer.b - areaSlack && r <= outer.r + areaSlack && t <= outer.t + areaSlack;
}

function getUri(pdfium: Pdfium, document: number, link: number): string {
  const action = pdfium._FPDFLink_GetAction(link);
  if (action === 0 || pdfium._FPDFAction_GetType(action) !== uriAction) return '';
  const length = pdfium._FPDFAction_GetURIPath(document, action, 0, 0);
  if (length < 2 || length > maxUriBytes) return '';
  const memory = allocate(pdfium, length);
  pdfium._FPDFAction_GetURIPath(document, action, memory.address, length);
  const uri = new TextDecoder().decode(memory.bytes(length - 1));
  memory.free();
  return /^(?:https?|mailto|ftp|tel):/i.test(uri) ? uri : '';
}

/** The address to which all words of the lines link; undefined if some words do not. */
export function findLink(lines: readonly Line[], links: readonly PageLink[]): string | undefined {
  if (links.length === 0) return undefined;
  const words = lines.flatMap((line) => line.words);
  const uri = links.find(({ box }) => words[0] && holds(box, words[0].box, 1))?.uri;
  if (uri === undefined) return undefined;
  const sameLinks = links.filter((link) => link.uri === uri);
  return words.every((word) => sameLinks.some(({ box }) => holds(box, word.box, 1))) ? uri : undefined;
}
