import type { DocumentBuilder, Placement } from '../../document/builder';
import { tableCell } from '../../document/grid';
import type { PictureItem, TableData } from '../../document/model';
import { nodeAt } from '../../document/tree';

/** A data series of a chart. */
export interface ChartSeries {
  name: string;
  categories: string[];
  values: string[];
}
/** The content of a chart. */
export interface Chart {
  /** Classes of the overlaid plots, such as `bar_chart`. */
  kinds: ReadonlySet<string>;
  series: ChartSeries[];
  /** Empty if there is none. */
  title: string;
  /** Titles of the axes that have one. */
  axes: string[];
}

/** The data of a chart with more points is omitted: it would be far longer than the text. */
export const maxPoints = 20_000;
/** The class of charts without a specific class, and of charts with several classes. */
export const otherChart = 'other_chart';

/** Describes a picture as a chart: class, data and axis titles in `meta`, the title as its caption. */
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

/** Moves the captions of charts to the body, after their slide or sheet, as in the reference. */
export function addCaption({ document }: DocumentBuilder, picture: PictureItem): void {
  for (const { $ref } of picture.captions) {
    const caption = nodeAt(document, $ref);
    if (!caption) continue;
    picture.children = picture.children.filter((child) => child.$ref !== $ref);
    caption.parent = { $ref: document.body.self_ref };
    document.body.children.push({ $ref });
  }
}

/** Formats a number of a chart without zero decimals, and with the 15 digits that programs show: 4.4000000000000004 is 4.4. */
export function toPlainNumber(text: string): string {
  if (/^-?\d+\.0+$/.test(text)) return text.slice(0, text.indexOf('.'));
  return /^-?\d+\.\d{10,}$/.test(text) && text.length > 16 ? String(Number(Number(text).toPrecision(15))) : text;
}

/** Returns a table with the categories in the first column and one column per series. */
function toTable(series: readonly ChartSeries[]): TableData | undefined {
  const categories = series.find((one) => one.categories.length > 0)?.categories ?? [];
  const rows = series.reduce((max, { values }) => Math.max(max, values.length), categories.length);
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
