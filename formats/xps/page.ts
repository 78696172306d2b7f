import { AppError } from '../../model/errors';
import { findBounds, identity, type Matrix, multiply, parseMatrix, toPoint } from '../matrix';
import type { Box } from '../pdf/geometry/box';
import type { RawPage } from '../pdf/geometry/page';
import { findChild, listElements, type XmlElement } from '../xml/xml';
import { type FontFace, readFont, revealFont } from './font';
import { placeGlyphs } from './glyph-run';
import { resolvePart, type XpsPackage } from './package';
import { findGeometry, type Outline, readGeometry, readPathData, toRules } from './path';

/** A page with the parts of its images. */
export interface XpsPage {
  page: RawPage;
  /** The image of each box in `page.images`. */
  images: { part: string; box: Box }[];
}

/** Returns the font of an address; undefined if it is missing or damaged. */
export type FindFace = (part: string, index: number) => FontFace | undefined;

const pointsPerUnit = 72 / 96;
/** Limit for the characters of a page; printed pages have fewer. */
const maxGlyphs = 400_000;
/** Further paths are ignored: they are strokes of maps and plots. */
const maxPaths = 20_000;
/** A path with more lines is a drawing, not the rules of a table. */
const maxSegments = 400;
/** A filled box at most this thin, in points, is a ruling. */
const maxRuleWidth = 2.5;

/** State while the visuals of a page are read. */
interface Walk {
  office: XpsPackage;
  part: string;
  face: FindFace;
  found: XpsPage;
  paths: number;
}

/** Values that visuals inherit. */
interface Context {
  matrix: Matrix;
  resources: ReadonlyMap<string, XmlElement>;
  isInvisible: boolean;
  link: string | undefined;
}

/** Creates a lookup that parses each font once. */
export function createFontLookup(office: XpsPackage): FindFace {
  const facesByUri = new Map<string, FontFace | undefined>();
  return (part, index) => {
    const key = `${part}#${index}`;
    if (!facesByUri.has(key)) {
      const bytes = office.read(part);
      facesByUri.set(key, bytes && readFont(revealFont(bytes, part), index));
    }
    return facesByUri.get(key);
  };
}

/** Reads one page: its glyphs, rulings, areas, drawings, images and links. Throws DOCUMENT_CORRUPT if it is missing. */
export function readXpsPage(office: XpsPackage, pageNo: number, face: FindFace): XpsPage {
  const part = office.pages[pageNo - 1] ?? '';
  const root = office.xml(part);
  if (root?.name !== 'FixedPage') throw new AppError('DOCUMENT_CORRUPT', `Page ${pageNo} (${part}) is missing.`);
  const [width, height] = ['Width', 'Height'].map((name) => Number(root.attributes[name]) * pointsPerUnit);
  if (!(width! > 0 && height! > 0)) throw new AppError('DOCUMENT_CORRUPT', `Page ${pageNo} (${part}) has no size.`);
  const page: RawPage = {
    pageNo,
    width: width!,
    height: height!,
    glyphs: [],
    rules: [],
    fills: [],
    drawings: [],
    images: [],
    links: [],
  };
  const walk: Walk = { office, part, face, found: { page, images: [] }, paths: 0 };
  // The file measures from the top left corner, the layout analysis from the lower left one.
  const matrix: Matrix = [pointsPerUnit, 0, 0, -pointsPerUnit, 0, height!];
  readVisuals(walk, root, { matrix, resources: new Map(), isInvisible: false, link: undefined });
  return walk.found;
}

function readVisuals(walk: Walk, parent: XmlElement, context: Context): void {
  const visualContext = { ...context, resources: collectResources(walk, parent, context.resources) };
  for (const visual of parent.children) if (typeof visual !== 'string') readVisual(walk, visual, visualContext);
}

function readVisual(walk: Walk, visual: XmlElement, outer: Context): void {
  const { attributes, name } = visual;
  if (name === 'mc:AlternateContent') {
    // Choices are extensions of later versions.
    const branch = findChild(visual, 'mc:Fallback') ?? findChild(visual, 'mc:Choice');
    if (branch) readVisuals(walk, branch, outer);
    return;
  }
  if (name !== 'Canvas' && name !== 'Glyphs' && name !== 'Path') return;
  const nested = findChild(findChild(visual, `${name}.RenderTransform`), 'MatrixTransform')?.attributes['Matrix'];
  const named = findResource(attributes['RenderTransform'], outer.resources)?.attributes['Matrix'];
  const matrix = parseMatrix(attributes['RenderTransform']) ?? parseMatrix(nested) ?? parseMatrix(named) ?? identity;
  const context = {
    ...outer,
    matrix: multiply(matrix, outer.matrix),
    isInvisible: outer.isInvisible || Number(attributes['Opacity'] ?? 1) === 0,
    link: findLink(attributes['FixedPage.NavigateUri']) ?? outer.link,
  };
  if (name === 'Canvas') readVisuals(walk, visual, context);
  else if (name === 'Glyphs') readGlyphs(walk, visual, context);
  else readPath(walk, visual, context);
}

function readGlyphs({ found, part, face }: Walk, { attributes }: XmlElement, context: Context): void {
  const { glyphs, links } = found.page;
  const [uri = '', index = '0'] = (attributes['FontUri'] ?? '').split('#');
  const text = attributes['UnicodeString'] ?? '';
  const run = {
    // A text that begins with a brace is preceded by an empty pair.
    text: text.startsWith('{}') ? text.slice(2) : text,
    indices: attributes['Indices'] ?? '',
    x: Number(attributes['OriginX']) || 0,
    y: Number(attributes['OriginY']) || 0,
    size: Number(attributes['FontRenderingEmSize']) || 0,
    isRightToLeft: Number(attributes['BidiLevel'] ?? 0) % 2 === 1,
    isSideways: attributes['IsSideways'] === 'true',
    isInvisible: context.isInvisible || isTransparent(attributes['Fill']),
    simulated: attributes['StyleSimulations'] ?? '',
    face: uri === '' ? undefined : face(resolvePart(part, uri), Number(index) || 0),
    matrix: context.matrix,
  };
  const placed = placeGlyphs(run, maxGlyphs - glyphs.length);
  for (const glyph of placed) glyphs.push(glyph);
  if (context.link === undefined || placed.length === 0) return;
  const box = findBounds(
    placed.flatMap(({ box: { l, b, r, t } }) => [
      { x: l, y: b },
      { x: r, y: t },
    ]),
  )!;
  links.push({ box, uri: context.link });
}

function readPath(walk: Walk, path: XmlElement, context: Context): void {
  walk.paths += 1;
  if (walk.paths > maxPaths) return;
  const { page, images } = walk.found;
  const fill = findBrush(path, 'Fill', context);
  const stroke = findBrush(path, 'Stroke', context);
  if (!fill && !stroke) return;
  const outline = readOutline(path, context);
  const box = clip(findBounds(outline.points), page);
  if (!box) return;
  if (fill?.image !== undefined) {
    images.push({ part: resolvePart(walk.part, fill.image), box });
    page.images.push(box);
    return;
  }
  const [width, height] = [box.r - box.l, box.t - box.b];
  if (width <= maxRuleWidth && height <= maxRuleWidth) return;
  if (height <= maxRuleWidth)
    return void page.rules.push({ axis: 'h', at: (box.b + box.t) / 2, from: box.l, to: box.r });
  if (width <= maxRuleWidth)
    return void page.rules.push({ axis: 'v', at: (box.l + box.r) / 2, from: box.b, to: box.t });
  const rules = outline.hasCurves || outline.lines.length > maxSegments ? undefined : toRules(outline.lines);
  if (!rules) return void page.drawings.push(box);
  if (stroke) page.rules.push(...rules);
  if (fill && !fill.isWhite) page.fills.push(box);
}

/** Returns the outline in points from the lower left corner of the page. */
function readOutline(path: XmlElement, { matrix, resources }: Context): Outline {
  const data = path.attributes['Data'];
  const geometry = findResource(data, resources) ?? findGeometry(path);
  const outline = geometry ? readGeometry(geometry) : readPathData(data ?? '');
  const ownMatrix = parseMatrix(geometry?.attributes['Transform']) ?? identity;
  const combined = multiply(ownMatrix, matrix);
  const move = ({ x, y }: { x: number; y: number }) => toPoint(combined, x, y);
  return {
    ...outline,
    points: outline.points.map(move),
    lines: outline.lines.map(([from, to]) => [move(from), move(to)]),
  };
}

interface Brush {
  isWhite: boolean;
  /** The address of the image that fills the path. */
  image?: string;
}

/** Returns what a path is filled or stroked with; undefined for nothing and for transparent colours. */
function findBrush(path: XmlElement, property: 'Fill' | 'Stroke', { resources }: Context): Brush | undefined {
  const attribute = path.attributes[property];
  const brush = findResource(attribute, resources) ?? listElements(findChild(path, `Path.${property}`)).at(0);
  if (attribute !== undefined && !brush) return findColourBrush(attribute);
  if (!brush) return undefined;
  if (brush.name === 'SolidColorBrush') return findColourBrush(brush.attributes['Color'] ?? '');
  if (brush.name !== 'ImageBrush') return { isWhite: false };
  const source = brush.attributes['ImageSource'] ?? '';
  // `{ColorConvertedBitmap image.jpg profile.icc}` names the image before its colour profile.
  return { isWhite: false, image: /^\{ColorConvertedBitmap\s+(\S+)/.exec(source)?.[1] ?? source };
}

function findColourBrush(colour: string): Brush | undefined {
  if (isTransparent(colour)) return undefined;
  return {
    isWhite: /^#(?:[\da-f]{2})?f{6}$/i.test(colour) || /^sc#(?:[\d.]+,)?1(?:\.0*)?,1(?:\.0*)?,1(?:\.0*)?$/.test(colour),
  };
}

function isTransparent(colour: string | undefined): boolean {
  return colour !== undefined && (/^#00[\da-f]{6}$/i.test(colour) || /^sc#0(?:\.0*)?,[^,]+,[^,]+,[^,]+$/.test(colour));
}

/** Returns the brushes, geometries and transformations that the visuals of an element may name. */
function collectResources(walk: Walk, parent: XmlElement, outer: Context['resources']): Context['resources'] {
  const ownDictionary = findChild(findChild(parent, `${parent.name}.Resources`), 'ResourceDictionary');
  if (!ownDictionary) return outer;
  const source = ownDictionary.attributes['Source'];
  const dictionary = source === undefined ? ownDictionary : walk.office.xml(resolvePart(walk.part, source));
  const named = listElements(dictionary).map((entry) => [entry.attributes['x:Key'] ?? '', entry] as const);
  return new Map([...outer, ...named]);
}

function findResource(value: string | undefined, resources: Context['resources']): XmlElement | undefined {
  const [, key] = /^\{StaticResource\s+([^}\s]+)\s*\}$/.exec(value ?? '') ?? [];
  return key === undefined ? undefined : resources.get(key);
}

function findLink(uri: string | undefined): string | undefined {
  return uri !== undefined && /^(?:https?|mailto|ftp|tel):/i.test(uri) ? uri : undefined;
}

function clip(box: Box | undefined, { width, height }: RawPage): Box | undefined {
  if (!box) return undefined;
  const visible = {
    l: Math.max(box.l, 0),
    b: Math.max(box.b, 0),
    r: Math.min(box.r, width),
    t: Math.min(box.t, height),
  };
  return visible.l <= visible.r && visible.b <= visible.t ? visible : undefined;
}
