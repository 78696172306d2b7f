import { findChild, listDescendants, listElements, joinText, type XmlElement } from '../../xml/xml';
import { addCaption } from '../chart';
import { addChartPicture } from '../ooxml-chart';
import { listDiagramTexts, readDrawingText } from '../text';
import type { Grid, Rectangle } from './grid';
import { type PlacedItem, resolveCells, type SheetRef, type WorkbookContext } from './workbook-context';

/** Reads the pictures, charts and text boxes above a sheet's cells or in a chart sheet. */
export function readDrawing(context: WorkbookContext, sheet: SheetRef, grid: Grid): PlacedItem[] {
  const { office } = context;
  const part = office.relationships(sheet.part).get(grid.drawing ?? '')?.target;
  const root = part === undefined ? undefined : office.xml(part);
  if (part === undefined || root === undefined) return [];
  return listElements(root).flatMap((anchor) => {
    const place = findPlace(anchor);
    return place === undefined ? [] : readAnchor(context, part, anchor).map((add) => ({ place, add }));
  });
}

type AddItem = PlacedItem['add'];

function readAnchor(context: WorkbookContext, part: string, anchor: XmlElement): AddItem[] {
  const { builder, office, image } = context;
  const relations = office.relationships(part);
  const adds: AddItem[] = [];
  for (const picture of listDescendants(anchor, 'xdr:pic')) {
    const [blip] = listDescendants(picture, 'a:blip');
    const relation = relations.get(blip?.attributes['r:embed'] ?? '');
    if (relation === undefined || relation.isExternal || !office.zip.has(relation.target)) continue;
    const content = image(relation.target);
    adds.push((options) => void builder.picture({ ...options, ...(content === undefined ? {} : { image: content }) }));
  }
  for (const { attributes } of listDescendants(anchor, 'c:chart')) {
    const relation = relations.get(attributes['r:id'] ?? '');
    const chart = relation === undefined ? undefined : office.xml(relation.target);
    const resolve = (reference: string) => resolveCells(context, reference);
    adds.push((options) => addCaption(builder, addChartPicture(builder, chart, options, resolve)));
  }
  for (const { attributes } of listDescendants(anchor, 'dgm:relIds')) {
    const diagram = office.xml(relations.get(attributes['r:dm'] ?? '')?.target ?? '');
    for (const text of diagram === undefined ? [] : listDiagramTexts(diagram))
      adds.push((options) => void builder.text('paragraph', text, options));
  }
  for (const shape of listDescendants(anchor, 'xdr:sp')) {
    const text = listElements(findChild(shape, 'xdr:txBody'), 'a:p').map(readDrawingText).join('\n').trim();
    if (text !== '') adds.push((options) => void builder.text('text', text, options));
  }
  return adds;
}

/** Returns the cells under an anchor. A picture with an absolute position gets the first cell. */
function findPlace(anchor: XmlElement): Rectangle | undefined {
  if (!anchor.name.endsWith('Anchor')) return undefined;
  const from = findChild(anchor, 'xdr:from');
  const to = findChild(anchor, 'xdr:to');
  const readValue = (marker: XmlElement | undefined, name: string) => Number(joinText(findChild(marker, name))) || 0;
  const top = readValue(from, 'xdr:row');
  const left = readValue(from, 'xdr:col');
  const bottom = to === undefined ? top + 1 : Math.max(readValue(to, 'xdr:row') + 1, top + 1);
  const right = to === undefined ? left + 1 : Math.max(readValue(to, 'xdr:col') + 1, left + 1);
  return { top, left, bottom, right };
}
