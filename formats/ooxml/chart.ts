import type { DocumentBuilder, Placement } from '../../document/builder';
import { tableCell } from '../../document/grid';
import type { PictureItem, TableData } from '../../document/model';
import { nodeAt } from '../../document/tree';

/** A row of points of a chart. */
export interface ChartSeries {
  name: string;
  categories: string[];
  values: string[];
}
/** What a chart shows. */
export interface Chart {
  /** Classes of the plots that lie over each other, such as `bar_chart`. */
  kinds: ReadonlySet<string>;
  series: ChartSeries[];
  /** Empty when there is none. */
  title: string;
  /** Titles of the axes that have one. */
  axes: string[];
}

/** A chart of more points is a data dump, not a figure. */
export const maxPoints = 20_000;
/** The class of charts that have none of their own, and of those of several kinds. */
export const otherChart = 'other_chart';

/** Says of a picture which chart it is: kind, data and titles of axes in `meta`, the title as its caption. */
export function describeChart(
  builder: DocumentBuilder,
  picture: PictureItem,
  { kinds, series, title, axes }: Chart,
  { layer, prov }: Placement,
): void {
  const [kind] = kinds;
  const data = toTable(series);
  picture.meta = {
    classification: { predictions: [{ class_name: kinds.size === 1 ? kind : otherChart }] },
    ...(data === undefined ? {} : { tabular_chart: { chart_data: data } }),
    ...(axes.length === 0 ? {} : { docloom__chart: { axes } }),
  };
  if (title === '') return;
  builder.caption(picture, title, {
    ...(layer === undefined ? {} : { layer }),
    prov: (prov ?? []).map((place) => ({ ...place, charspan: [0, title.length] })),
  });
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

/** A number as the reference writes those of charts: without zeros behind the point. */
export function plainNumber(text: string): string {
  return /^-?\d+\.0+$/.test(text) ? text.slice(0, text.indexOf('.')) : text;
}

/** Categories down the first column, a column for each series. */
function toTable(series: readonly ChartSeries[]): TableData | undefined {
  const categories = series.find(({ categories }) => categories.length > 0)?.categories ?? [];
  const rows = series.reduce((most, { values }) => Math.max(most, values.length), categories.length);
  const isNamed = series.some(({ name }) => name !== '');
  if ((rows === 0 && !isNamed) || rows * series.length > maxPoints) return undefined;
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
