import { createDocument, type DocumentBuilder } from '../../../document/builder';
import type { DoclingDocument, Provenance } from '../../../document/model';
import { AppError } from '../../../model/errors';
import { type ReadOptions, getStem } from '../../format';
import { type RowPlace, sortReadingRows } from '../../reading-rows';
import { openCompound } from '../compound';
import { type Blocks, openBlocks, part, type Pointer } from './blocks';
import { joinShapeText, readSheet, type Sheet, type VisioShape } from './shapes';

/** The version of the file format that Visio 2003 to 2010 write. */
const supportedVersion = 11;
type FindShape = (shape: VisioShape) => VisioShape | undefined;

interface PlacedText extends RowPlace {
  right: number;
  text: string;
}

/** Reads a drawing: a group and a page for each page, with the texts of its shapes row by row. */
export function read(bytes: Uint8Array, { name, limits, recordOmission }: ReadOptions): DoclingDocument {
  const file = openCompound(bytes, name);
  file.reportFolders(recordOmission);
  const blocks = openBlocks(file.stream('VisioDocument') ?? Buffer.alloc(0), name, limits.maxExpandedBytes);
  if (blocks.version !== supportedVersion) {
    throw new AppError(
      'FORMAT_UNSUPPORTED',
      `'${name}' is a Visio drawing of version ${blocks.version}. Only version 11 (Visio 2003 to 2010) is supported; save it as VSDX.`,
    );
  }
  const top = blocks.list(blocks.trailer);
  const pages = listInner(blocks, top, part.pages, part.page);
  if (pages === undefined) throw new AppError('DOCUMENT_CORRUPT', `'${name}' is a Visio drawing without pages.`);
  if (pages.length > limits.maxPages) {
    throw new AppError('DOCUMENT_TOO_LARGE', `The drawing has ${pages.length} pages; the limit is ${limits.maxPages}.`);
  }
  const findShape = readMasters(blocks, listInner(blocks, top, part.stencils, part.stencil) ?? []);
  const builder = createDocument(getStem(name));
  for (const [index, pointer] of pages.entries()) {
    const sheet = readSheet(blocks, pointer);
    for (const { isPicture } of sheet.shapes) if (isPicture) recordOmission?.('picture');
    addPage(builder, sheet, index + 1, findShape);
  }
  return builder.document;
}

/** Returns the blocks of a type within the list of another type; undefined without such a list. */
function listInner(blocks: Blocks, top: readonly Pointer[], list: number, type: number): Pointer[] | undefined {
  const pointer = top.find((candidate) => candidate.type === list);
  return pointer && blocks.list(pointer).filter((candidate) => candidate.type === type);
}

/** Returns a lookup of the masters' shapes. Each master is read when a shape first refers to it. */
function readMasters(blocks: Blocks, stencils: readonly Pointer[]): FindShape {
  const pointers = new Map(stencils.map((pointer) => [pointer.index, pointer]));
  const masters = new Map<number, Map<number, VisioShape>>();
  return ({ master, masterShape }) => {
    const pointer = pointers.get(master);
    if (pointer === undefined) return undefined;
    let shapes = masters.get(master);
    if (shapes === undefined) {
      shapes = new Map(readSheet(blocks, pointer).shapes.map((shape) => [shape.id, shape]));
      masters.set(master, shapes);
    }
    return shapes.get(masterShape);
  };
}

function addPage(builder: DocumentBuilder, sheet: Sheet, number: number, find: FindShape): void {
  const pointsPerInch = 72 / sheet.scale;
  builder.page(number, sheet.width * pointsPerInch, sheet.height * pointsPerInch);
  const parent = builder.group('chapter', { name: `page ${number}` });
  for (const { text, left, top, right, bottom } of sortReadingRows(listTexts(sheet, pointsPerInch, find))) {
    const bbox = { l: left, t: top, r: right, b: bottom, coord_origin: 'TOPLEFT' as const };
    const prov: Provenance[] = [{ page_no: number, bbox, charspan: [0, text.length] }];
    builder.text('text', text, { parent, prov });
  }
}

function listTexts({ shapes, height }: Sheet, pointsPerInch: number, find: FindShape): PlacedText[] {
  const byId = new Map(shapes.map((shape) => [shape.id, shape]));
  const corners = new Map<number, { x: number; y: number }>();
  const findTransform = (shape: VisioShape) => shape.transform ?? find(shape)?.transform;
  /** Returns the bottom left corner of a shape on the page. Groups that contain each other are treated as shapes of the page. */
  const findCorner = (shape: VisioShape, seen: ReadonlySet<number>): { x: number; y: number } => {
    const known = corners.get(shape.id);
    if (known) return known;
    const group = seen.size < maxDepth && !seen.has(shape.parent) ? byId.get(shape.parent) : undefined;
    const origin = group ? findCorner(group, new Set([...seen, shape.parent])) : { x: 0, y: 0 };
    const own = findTransform(shape);
    const corner = own ? { x: origin.x + own.pinX - own.localX, y: origin.y + own.pinY - own.localY } : origin;
    corners.set(shape.id, corner);
    return corner;
  };
  return shapes.flatMap((shape) => {
    const text = joinShapeText(shape, find(shape));
    if (text === '') return [];
    const { x, y } = findCorner(shape, new Set([shape.id]));
    const { width = 0, height: shapeHeight = 0 } = findTransform(shape) ?? {};
    const [left, right] = [x * pointsPerInch, (x + width) * pointsPerInch];
    const [top, bottom] = [(height - y - shapeHeight) * pointsPerInch, (height - y) * pointsPerInch];
    return [{ text, left, right, top, bottom }];
  });
}

/** Groups nested more deeply are treated as shapes of the page. */
const maxDepth = 50;
