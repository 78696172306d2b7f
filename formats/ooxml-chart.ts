import type { DocumentBuilder, Placement } from '../document/builder';
import { tableCell } from '../document/grid';
import type { PictureItem, TableData } from '../document/model';
import { nodeAt } from '../document/tree';
import { drawingText } from './ooxml-text';
import { child, descendants, elements, textOf, type XmlElement } from './xml';

/** Answers a cell reference such as `Sheet1!$B$2:$B$7` with the texts of its cells; undefined when it cannot. */
export type ResolveCells = (reference: string) => string[] | undefined;

interface Series {
  name: string;
  categories: string[];
  values: string[];
}

const classes: readonly [RegExp, string][] = [
  [/^c:bar/, 'bar_chart'],
  [/^c:line/, 'line_chart'],
  [/^c:(?:pie|doughnut|ofPie)/, 'pie_chart'],
  [/^c:scatter/, 'scatter_chart'],
];
// A chart of more points is a data dump, not a figure.
const maxPoints = 20_000;

/**
 * Adds a chart as a picture: its kind and data stand in `meta`, its title is the caption.
 * `chart` is the root of the chart part; undefined gives a bare picture.
 */
export function chartPicture(
  builder: DocumentBuilder,
  chart: XmlElement | undefined,
  options: Placement,
  resolve?: ResolveCells,
): PictureItem {
  const picture = builder.picture(options);
  const space = child(chart, 'c:chart');
  const plots = elements(child(space, 'c:plotArea')).filter(({ name }) => /Chart$/.test(name));
  if (plots.length === 0) return picture;
  const kinds = new Set(plots.map(({ name }) => classes.find(([sign]) => sign.test(name))?.[1] ?? 'other_chart'));
  const [kind] = kinds;
  const data = toTable(plots.flatMap((plot) => elements(plot, 'c:ser').map((series) => readSeries(series, resolve))));
  picture.meta = {
    classification: { predictions: [{ class_name: kinds.size === 1 ? kind : 'other_chart' }] },
    ...(data === undefined ? {} : { tabular_chart: { chart_data: data } }),
  };
  const title = titleOf(space);
  const { layer, prov } = options;
  if (title !== '') {
    builder.caption(picture, title, {
      ...(layer === undefined ? {} : { layer }),
      prov: (prov ?? []).map((place) => ({ ...place, charspan: [0, title.length] })),
    });
  }
  return picture;
}

/** Captions of charts hang below the body, behind their slide or sheet, as the reference has them. */
export function captionInBody({ document }: DocumentBuilder, picture: PictureItem): void {
  for (const { $ref } of picture.captions) {
    const caption = nodeAt(document, $ref);
    if (!caption) continue;
    picture.children = picture.children.filter((child) => child.$ref !== $ref);
    caption.parent = { $ref: document.body.self_ref };
    document.body.children.push({ $ref });
  }
}

function titleOf(chart: XmlElement | undefined): string {
  const text = child(child(chart, 'c:title'), 'c:tx');
  const rich = child(text, 'c:rich');
  if (rich !== undefined) return elements(rich, 'a:p').map(drawingText).join(' ').trim();
  return text === undefined ? '' : (pointsOf(text, undefined)[0] ?? '').trim();
}

function readSeries(series: XmlElement, resolve: ResolveCells | undefined): Series {
  const title = child(series, 'c:tx');
  const name = child(title, 'c:v');
  const categories = child(series, 'c:cat') ?? child(series, 'c:xVal');
  const values = child(series, 'c:val') ?? child(series, 'c:yVal');
  return {
    name: name === undefined ? (pointsOf(title, resolve)[0] ?? '') : textOf(name),
    categories: pointsOf(categories, resolve),
    values: pointsOf(values, resolve),
  };
}

/** Values that the chart keeps of its own, else those of the cells that it points to. */
function pointsOf(source: XmlElement | undefined, resolve: ResolveCells | undefined): string[] {
  if (source === undefined) return [];
  const level = child(child(child(source, 'c:multiLvlStrRef'), 'c:multiLvlStrCache'), 'c:lvl');
  const caches = ['c:strCache', 'c:numCache', 'c:strLit', 'c:numLit'].flatMap((name) => descendants(source, name));
  const cache = level ?? caches[0];
  const points: string[] = [];
  for (const point of elements(cache, 'c:pt')) {
    const index = Number(point.attributes['idx']);
    if (Number.isInteger(index) && index >= 0 && index < maxPoints)
      points[index] = plainNumber(textOf(child(point, 'c:v')));
  }
  const [formula] = descendants(source, 'c:f');
  if (points.length > 0 || formula === undefined) return Array.from(points, (point) => point ?? '');
  return resolve?.(textOf(formula)) ?? [];
}

function plainNumber(text: string): string {
  return /^-?\d+\.0+$/.test(text) ? text.slice(0, text.indexOf('.')) : text;
}

/** Categories down the first column, a column for each series. */
function toTable(series: Series[]): TableData | undefined {
  const categories = series.find(({ categories }) => categories.length > 0)?.categories ?? [];
  const rows = series.reduce((most, { values }) => Math.max(most, values.length), categories.length);
  if (rows === 0 || rows * series.length > maxPoints) return undefined;
  const header = ['', ...series.map(({ name }) => name)];
  const cells = header.map((text, column) => tableCell(0, column, text, { column_header: true }));
  for (let row = 0; row < rows; row++) {
    const texts = [categories[row], ...series.map(({ values }) => values[row])];
    for (const [column, text] of texts.entries()) {
      cells.push(tableCell(row + 1, column, text ?? '', { row_header: column === 0 }));
    }
  }
  return { table_cells: cells, num_rows: rows + 1, num_cols: header.length };
}
