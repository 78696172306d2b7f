import { AppError } from '../../../model/errors';
import { findChild, joinText, listDescendants, type XmlElement } from '../../xml/xml';
import { rowLimit } from './cells';
import type { Rectangle } from './grid';
import type { PlacedItem, SheetRef, WorkbookContext } from './workbook-context';

/** Object types other than comments, which have a reader of their own. Files with comments only are not parsed. */
const otherObjects = /ObjectType\s*=\s*["'](?!Note["'])/;

/**
 * Creates a reader of the labels of buttons, check boxes and other form controls, which are in the VML drawing of a sheet. A drawing
 * belongs to one sheet; in a crafted file that gives it to many, the first one has its labels.
 */
export function createControlReader({ builder, office }: WorkbookContext): (sheet: SheetRef) => PlacedItem[] {
  const seen = new Set<string>();
  return (sheet) =>
    [...office.relationships(sheet.part).values()].flatMap(({ type, target }) => {
      if (type !== 'vmlDrawing' || seen.has(target)) return [];
      seen.add(target);
      const drawing = Buffer.from(office.zip.read(target) ?? []).toString('latin1');
      const root = otherObjects.test(drawing) ? readVml(() => office.xml(target)) : undefined;
      return (root ? listDescendants(root, 'v:shape') : []).flatMap((shape): PlacedItem[] => {
        const data = findChild(shape, 'xvml:ClientData');
        const label = readLabel(findChild(shape, 'v:textbox')).replaceAll(/\s+/g, ' ').trim();
        if (!data || data.attributes['ObjectType'] === 'Note' || label === '') return [];
        return [{ place: readAnchor(data), add: (options) => void builder.text('text', label, options) }];
      });
    });
}

/** The text of a text box, without those of other shapes within it. Paragraphs and line breaks are spaces. */
function readLabel(element: XmlElement | undefined): string {
  let text = '';
  for (const node of element?.children ?? []) {
    if (typeof node === 'string') text += node;
    else if (node.name !== 'v:shape')
      text += `${node.name === 'div' || node.name === 'br' ? ' ' : ''}${readLabel(node)}`;
  }
  return text;
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
  const numbers = joinText(findChild(data, 'xvml:Anchor'))
    .split(',')
    .map((number) => Math.min(rowLimit, Math.max(0, Math.trunc(Number(number)) || 0)));
  const [left = 0, , top = 0, , right = left, , bottom = top] = numbers;
  return { left, top, right: Math.max(left, right) + 1, bottom: Math.max(top, bottom) + 1 };
}
