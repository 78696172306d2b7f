import type { RowPlace } from '../../reading-rows';
import { findChild, listElements, joinText, type XmlElement } from '../../xml/xml';

/** Finds the shape of a master; without `shape` its outermost one. */
export type FindMaster = (master: string, shape: string | undefined) => XmlElement | undefined;

/** A shape with text, or a picture, with its position in points from the top left corner of the page. */
export interface PlacedShape extends RowPlace {
  right: number;
  text: string;
  /** Relationship id of the picture. */
  picture: string | undefined;
  /** Labels with values that belong to the shape and are not drawn. */
  data: string[];
}

/** The coordinate system of a shape's parent. */
interface Frame {
  /** Its origin, in inches from the bottom left corner of the page. */
  x: number;
  y: number;
  height: number;
  pointsPerInch: number;
  master: string | undefined;
}

/** Returns all shapes with a text, a picture or data, groups first and then their parts. Rotations are ignored. */
export function listPlacedShapes(
  page: XmlElement | undefined,
  { height, pointsPerInch, find }: { height: number; pointsPerInch: number; find: FindMaster },
): PlacedShape[] {
  const placedShapes: PlacedShape[] = [];
  addShapes(placedShapes, page, { x: 0, y: 0, height, pointsPerInch, master: undefined }, find);
  return placedShapes;
}

function addShapes(shapes: PlacedShape[], parent: XmlElement | undefined, frame: Frame, find: FindMaster): void {
  for (const shape of listElements(findChild(parent, 'vs:Shapes'), 'vs:Shape')) {
    const { attributes } = shape;
    if (attributes['Del'] === '1') continue;
    const master = attributes['Master'] ?? frame.master;
    const inherits = attributes['Master'] !== undefined || attributes['MasterShape'] !== undefined;
    const inherited = master !== undefined && inherits ? find(master, attributes['MasterShape']) : undefined;
    const readValue = (name: string) => Number(findCell(shape, name) ?? findCell(inherited, name) ?? 0) || 0;
    const [width, height] = [readValue('Width'), readValue('Height')];
    const left = frame.x + readValue('PinX') - readValue('LocPinX');
    const bottom = frame.y + readValue('PinY') - readValue('LocPinY');
    const text = readShapeText(findChild(shape, 'vs:Text') ?? findChild(inherited, 'vs:Text'));
    const picture = findChild(findChild(shape, 'vs:ForeignData') ?? findChild(inherited, 'vs:ForeignData'), 'vs:Rel');
    const data = readShapeData(shape);
    const isHidden = readValue('HideText') === 1;
    if ((text !== '' && !isHidden) || picture !== undefined || data.length > 0) {
      shapes.push({
        left: left * frame.pointsPerInch,
        right: (left + width) * frame.pointsPerInch,
        top: (frame.height - bottom - height) * frame.pointsPerInch,
        bottom: (frame.height - bottom) * frame.pointsPerInch,
        text: isHidden ? '' : text,
        picture: picture?.attributes['r:id'],
        data,
      });
    }
    addShapes(shapes, shape, { ...frame, x: left, y: bottom, master }, find);
  }
}

/** Returns the value of a cell of the shape itself, not of one of its sections. */
export function findCell(shape: XmlElement | undefined, name: string): string | undefined {
  return listElements(shape, 'vs:Cell').find(({ attributes }) => attributes['N'] === name)?.attributes['V'];
}

/** Character, paragraph and tab marks are empty elements between the texts; fields contain the displayed text. */
function readShapeText(text: XmlElement | undefined): string {
  return text === undefined ? '' : joinText(text).replaceAll('\u2028', '\n').replaceAll(/\r\n?/g, '\n').trim();
}

function readShapeData(shape: XmlElement): string[] {
  const sections = listElements(shape, 'vs:Section').filter(({ attributes }) => attributes['N'] === 'Property');
  return sections
    .flatMap((section) => listElements(section, 'vs:Row'))
    .map((row) => [findCell(row, 'Label') ?? row.attributes['N'] ?? '', findCell(row, 'Value') ?? ''])
    .filter(([, value]) => value !== '')
    .map(([label, value]) => `${label}: ${value}`);
}
