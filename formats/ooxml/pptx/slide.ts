import { tableCell } from '../../../document/grid';
import type { TableCell } from '../../../document/model';
import { findChild, listElements, type XmlElement } from '../../xml/xml';
import { addCaption } from '../chart';
import { addChartPicture } from '../ooxml-chart';
import { listDiagramTexts, readDrawingText } from '../text';
import { sortForReading, type Shape } from './shapes';
import { createProvenance, type SlideContext } from './slide-context';
import { addTextBody } from './text';

/** Adds the content of a shape to the slide's group. */
export function addShape(context: SlideContext, shape: Shape): void {
  const { element } = shape;
  for (const inner of sortForReading(shape.children)) addShape(context, inner);
  if (element.name === 'p:pic') addPicture(context, shape);
  else if (element.name === 'p:graphicFrame') addGraphic(context, shape);
  else if (element.name === 'p:sp') addTextBody(context, shape, findChild(element, 'p:txBody'));
}

/** Pictures that are missing or not an image are skipped, since they are not visible. */
function addPicture(context: SlideContext, shape: Shape): void {
  const { builder, office, part, group } = context;
  const fill = findChild(shape.element, 'p:blipFill');
  const relation = office.relationships(part).get(findChild(fill, 'a:blip')?.attributes['r:embed'] ?? '');
  if (relation === undefined || relation.isExternal || !office.zip.has(relation.target)) return;
  if (office.contentType(relation.target)?.startsWith('image/') !== true) return;
  const image = context.image(relation.target);
  builder.picture({
    parent: group,
    prov: createProvenance(context, shape, 0),
    ...(image === undefined ? {} : { image }),
  });
}

function addGraphic(context: SlideContext, shape: Shape): void {
  const data = findChild(findChild(shape.element, 'a:graphic'), 'a:graphicData');
  const table = findChild(data, 'a:tbl');
  if (table !== undefined) addTable(context, shape, table);
  const chart = findChild(data, 'c:chart');
  const relations = context.office.relationships(context.part);
  const chartPart = relations.get(chart?.attributes['r:id'] ?? '')?.target;
  if (chartPart !== undefined) {
    const options = { parent: context.group, prov: createProvenance(context, shape, 0) };
    addCaption(context.builder, addChartPicture(context.builder, context.office.xml(chartPart), options));
  }
  const diagramPart = relations.get(findChild(data, 'dgm:relIds')?.attributes['r:dm'] ?? '')?.target;
  if (diagramPart !== undefined) addDiagram(context, shape, diagramPart);
}

function addDiagram(context: SlideContext, shape: Shape, part: string): void {
  const root = context.office.xml(part);
  for (const text of root === undefined ? [] : listDiagramTexts(root)) {
    context.builder.text('paragraph', text, {
      parent: context.group,
      prov: createProvenance(context, shape, text.length),
    });
  }
}

function addTable(context: SlideContext, shape: Shape, table: XmlElement): void {
  const rows = listElements(table, 'a:tr');
  const cells: TableCell[] = [];
  let columns = listElements(findChild(table, 'a:tblGrid'), 'a:gridCol').length;
  for (const [row, element] of rows.entries()) {
    const inRow = listElements(element, 'a:tc');
    columns = Math.max(columns, inRow.length);
    for (const [column, cell] of inRow.entries()) {
      if (isOn(cell, 'hMerge') || isOn(cell, 'vMerge')) continue;
      const text = listElements(findChild(cell, 'a:txBody'), 'a:p').map(readDrawingText).join('\n').trim();
      const span = (name: string, max: number) => Math.min(Math.max(Number(cell.attributes[name]) || 1, 1), max);
      cells.push(
        tableCell(row, column, text, {
          row_span: span('rowSpan', rows.length - row),
          col_span: span('gridSpan', Math.max(inRow.length, columns) - column),
          column_header: row === 0,
        }),
      );
    }
  }
  if (cells.every(({ text }) => text === '')) return;
  const data = { table_cells: cells, num_rows: rows.length, num_cols: columns };
  context.builder.table(data, { parent: context.group, prov: createProvenance(context, shape, 0) });
}

function isOn(cell: XmlElement, attribute: string): boolean {
  return ['1', 'true'].includes(cell.attributes[attribute] ?? '');
}
