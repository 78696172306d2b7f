import { tableCell } from '../../document/grid';
import type { TableData } from '../../document/model';
import { mathToLatex } from '../xml/mathml';
import { findChild, listDescendants, listElements, type XmlElement } from '../xml/xml';
import { readLine, type OdfContext, buildOptions, type Place } from './context';
import { getPartName } from './package';
import { addTable, readCellText, readGrid } from './table';

/** Picture classes by chart class. */
const chartKinds: Readonly<Record<string, string>> = {
  'chart:bar': 'bar_chart',
  'chart:line': 'line_chart',
  'chart:circle': 'pie_chart',
  'chart:ring': 'pie_chart',
  'chart:scatter': 'scatter_chart',
};
/** The data of a larger chart or object is omitted: it would be far longer than the text. */
const maxChartPlaces = 20_000;

/** Adds the content of a frame, shape or group: charts, formulas, tables, pictures, texts. */
export function addDrawing(context: OdfContext, drawing: XmlElement, place: Place): void {
  if (drawing.name === 'draw:g' || drawing.name === 'draw:a') {
    for (const inner of listElements(drawing)) addDrawing(context, inner, { ...place, isTitle: false });
    return;
  }
  if (drawing.name !== 'draw:frame') {
    // Every shape may contain text.
    context.addBlocks(
      context,
      listElements(drawing).filter(({ name }) => !name.startsWith('draw:')),
      place,
    );
    return;
  }
  const object = listElements(drawing).find(({ name }) => name === 'draw:object');
  if (object && addObject(context, object, place)) return;
  for (const table of listElements(drawing, 'table:table')) addTable(context, table, place);
  const hasTable = findChild(drawing, 'table:table') !== undefined;
  // The image next to a table or text is a preview of it. Of several images only the first is visible.
  const box = findChild(drawing, 'draw:text-box');
  if (!hasTable && !box) addImage(context, drawing, place);
  if (box) context.addBlocks(context, listElements(box), place);
}

/** Pictures that are missing, linked or available only as vector graphics have no image and are skipped. */
function addImage({ builder, office }: OdfContext, frame: XmlElement, place: Place): void {
  for (const element of listElements(frame, 'draw:image')) {
    if (findChild(element, 'office:binary-data')) {
      const inline = office.inlineImage(element);
      if (inline === undefined) continue;
      builder.picture({ ...buildOptions(place, ''), image: inline });
      return;
    }
    const href = element.attributes['xlink:href'] ?? '';
    const image = office.image(href);
    const isRaster = image !== undefined || /\.(?:png|jpe?g|gif|bmp|tiff?|webp)$/i.test(href);
    if (!isRaster || !office.has(getPartName(href))) continue;
    builder.picture({ ...buildOptions(place, ''), ...(image === undefined ? {} : { image }) });
    return;
  }
}

/** Returns true if the object is a chart, a formula, a spreadsheet or a text; other objects show their picture. */
function addObject(context: OdfContext, object: XmlElement, place: Place): boolean {
  const href = object.attributes['xlink:href'];
  const root = href === undefined ? findInlineObject(object) : context.office.xml(`${getPartName(href)}/content.xml`);
  if (root === undefined) return false;
  if (/(?:^|:)math$/.test(root.name)) return addFormula(context, root, place);
  const body = findChild(root, 'office:body');
  const chart = findChild(findChild(body, 'office:chart'), 'chart:chart');
  if (chart !== undefined) return addChart(context, chart, place);
  return addObjectTexts(context, body, place);
}

/** Adds the first table of a spreadsheet, or the paragraphs of a text. Objects within the object are not read. */
function addObjectTexts(context: OdfContext, body: XmlElement | undefined, place: Place): boolean {
  const [table] = listElements(findChild(body, 'office:spreadsheet'), 'table:table');
  const data = table && readTexts(context, table);
  if (data !== undefined) {
    context.builder.table(data, buildOptions(place, ''));
    return true;
  }
  const document = findChild(body, 'office:text');
  const paragraphs = document ? listDescendants(document, 'text:p') : [];
  const lines = paragraphs.map(readLine).filter((line) => line !== '');
  for (const line of lines) context.builder.text('text', line, buildOptions(place, line));
  return lines.length > 0;
}

/** Finds the object inside its frame in a flat file, where LibreOffice writes an empty paragraph before it. */
function findInlineObject(object: XmlElement): XmlElement | undefined {
  return listElements(object).find(({ name }) => name === 'office:document' || /(?:^|:)math$/.test(name));
}

function addFormula({ builder }: OdfContext, math: XmlElement, place: Place): boolean {
  const latex = mathToLatex(math).trim();
  if (latex === '') return false;
  builder.text('formula', latex, buildOptions(place, latex));
  return true;
}

/** Adds a picture with class and data in `meta`, and the title as its caption. */
function addChart(context: OdfContext, chart: XmlElement, place: Place): boolean {
  const [table] = listDescendants(chart, 'table:table');
  const data = table && readTexts(context, table);
  if (data === undefined) return false;
  const kind = [chart, ...listDescendants(chart, 'chart:series')]
    .map(({ attributes }) => chartKinds[attributes['chart:class'] ?? ''])
    .find((name) => name !== undefined);
  const title = readLine(findChild(chart, 'chart:title'));
  const picture = context.builder.picture(buildOptions(place, ''));
  picture.meta = {
    classification: { predictions: [{ class_name: kind ?? 'other_chart' }] },
    tabular_chart: { ...(title === '' ? {} : { title }), chart_data: data },
  };
  if (title !== '') {
    const { parent: _, ...options } = buildOptions(place, title);
    context.builder.caption(picture, title, options);
  }
  return true;
}

/** Returns the texts of a table up to its last filled row and column; undefined if it is empty or too large. */
function readTexts(context: OdfContext, table: XmlElement): TableData | undefined {
  const grid = readGrid(table);
  if (grid.cells.length === 0 || grid.rows * grid.columns > maxChartPlaces) return undefined;
  const texts = new Map(
    grid.cells.map((cell) => [cell.row * grid.columns + cell.column, readCellText(context, cell.element)]),
  );
  const cells = Array.from({ length: grid.rows * grid.columns }, (_, key) => {
    const row = Math.floor(key / grid.columns);
    return tableCell(row, key % grid.columns, texts.get(key) ?? '', { column_header: row === 0 });
  });
  return { table_cells: cells, num_rows: grid.rows, num_cols: grid.columns };
}
