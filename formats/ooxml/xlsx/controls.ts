import { AppError } from '../../../model/errors';
import { joinText, listDescendants, type XmlElement } from '../../xml/xml';
import { rowLimit } from './cells';
import type { Rectangle } from './grid';
import type { PlacedItem, SheetRef, WorkbookContext } from './workbook-context';

/** Object types other than comments, which have a reader of their own. Files with comments only are not parsed. */
const otherObjects = /ObjectType\s*=\s*["'](?!Note["'])/;

/** Reads the labels of buttons, check boxes and other form controls of a sheet, which are in its VML drawing. */
export function readControls({ builder, office }: WorkbookContext, sheet: SheetRef): PlacedItem[] {
  return [...office.relationships(sheet.part).values()].flatMap(({ type, target }) => {
    if (type !== 'vmlDrawing') return [];
    const drawing = Buffer.from(office.zip.read(target) ?? []).toString('latin1');
    const root = otherObjects.test(drawing) ? readVml(() => office.xml(target)) : undefined;
    return (root ? listDescendants(root, 'v:shape') : []).flatMap((shape) => {
      const [data] = listDescendants(shape, 'xvml:ClientData');
      if (!data || data.attributes['ObjectType'] === 'Note') return [];
      const text = listDescendants(shape, 'v:textbox').map(joinText).join(' ').replaceAll(/\s+/g, ' ').trim();
      const place = readAnchor(data);
      if (text === '') return [];
      return [{ place, add: (options) => void builder.text('text', text, options) } satisfies PlacedItem];
    });
  });
}

/** Excel writes VML that is not always XML. The other content of such a workbook is read. */
function readVml(read: () => XmlElement | undefined): XmlElement | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError && error.code === 'DOCUMENT_CORRUPT') return undefined;
    throw error;
  }
}

/** Left column, offset, top row, offset, and the same for the other corner. */
function readAnchor(data: XmlElement): Rectangle {
  const numbers = joinText(listDescendants(data, 'xvml:Anchor')[0])
    .split(',')
    .map((number) => Math.min(rowLimit, Math.max(0, Math.trunc(Number(number)) || 0)));
  const [left = 0, , top = 0, , right = left, , bottom = top] = numbers;
  return { left, top, right: Math.max(left, right) + 1, bottom: Math.max(top, bottom) + 1 };
}
