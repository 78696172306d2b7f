import type { Chart, ChartSeries } from '../../ooxml/chart';
import { maxPoints, toPlainNumber } from '../../ooxml/chart';
import type { Message } from './message';
import type { IwaObject, IwaObjects } from './objects';

/** Field of the extension that has the content of a chart and the properties of its styles. */
const extensionField = 10_000;
const seriesInColumns = 2;

/** Classes of the two-dimensional and the other kinds, in the order of their numbers from 1 on. */
const kinds: readonly string[] = [
  ...['bar_chart', 'bar_chart', 'line_chart', 'area_chart', 'pie_chart', 'bar_chart', 'bar_chart', 'area_chart'],
  ...['scatter_chart', 'other_chart', 'other_chart', 'bar_chart', 'bar_chart', 'line_chart', 'area_chart', 'pie_chart'],
  ...['bar_chart', 'bar_chart', 'area_chart', 'bar_chart', 'bar_chart', 'scatter_chart', 'scatter_chart'],
  ...['scatter_chart', 'pie_chart', 'pie_chart', 'other_chart'],
];

/** Reads the data of a chart, its title and the titles of its axes; undefined if it has no data. */
export function findChart({ message }: IwaObject, objects: IwaObjects): Chart | undefined {
  const content = message.message(extensionField);
  const grid = content?.message(7);
  if (!content || !grid) return undefined;
  const decoder = new TextDecoder();
  const readNames = (field: number) => grid.allBytes(field).map((bytes) => decoder.decode(bytes));
  const [rows, columns] = [readNames(1), readNames(2)];
  const values = grid.messages(3).map((row) => row.messages(1).map(formatValue));
  if (values.reduce((sum, row) => sum + row.length, 0) > maxPoints) return undefined;
  const style = findProperties(content.reference(10), objects);
  const isTitleShown = style?.number(21) === 1;
  return {
    kinds: new Set([kinds[(content.number(1) ?? 0) - 1] ?? 'other_chart']),
    series:
      content.number(5) === seriesInColumns
        ? listSeriesOfColumns(rows, columns, values)
        : listSeries(rows, columns, values),
    title: isTitleShown ? (style.text(23)?.trim() ?? '') : '',
    axes: [
      ...listTitles(content.references(16), objects, { shown: 13, title: 15 }),
      ...listTitles(content.references(14), objects, { shown: 14, title: 16 }),
    ],
  };
}

function findProperties(id: number | undefined, objects: IwaObjects): Message | undefined {
  return objects.get(id ?? -1)?.message.message(extensionField);
}

function listTitles(ids: number[], objects: IwaObjects, fields: { shown: number; title: number }): string[] {
  return ids.flatMap((id) => {
    const axis = findProperties(id, objects);
    const title = axis?.number(fields.shown) === 1 ? (axis.text(fields.title)?.trim() ?? '') : '';
    return title === '' ? [] : title;
  });
}

function formatValue(value: Message): string {
  const number = value.number(1) ?? value.number(3);
  return number === undefined || !Number.isFinite(number) ? '' : toPlainNumber(String(number));
}

function listSeries(rows: readonly string[], categories: string[], values: readonly string[][]): ChartSeries[] {
  return values.map((row, index) => ({ name: rows[index] ?? '', categories, values: row }));
}

function listSeriesOfColumns(
  categories: string[],
  columns: readonly string[],
  values: readonly string[][],
): ChartSeries[] {
  const width = values.reduce((max, row) => Math.max(max, row.length), 0);
  return Array.from({ length: width }, (_, column) => ({
    name: columns[column] ?? '',
    categories,
    values: values.map((row) => row[column] ?? ''),
  }));
}
