import { type Chart, type ChartSeries, maxPoints, otherChart, toPlainNumber } from '../../ooxml/chart';
import { createGraphSheet } from './graph-sheet';
import { biff, type BiffRecord, iterateRecords } from './records';
import { createCursor, readString, type StringForm } from './strings';

/** Chart classes by type of record. */
const classes: Readonly<Record<number, string>> = {
  [biff.bar]: 'bar_chart',
  [biff.line]: 'line_chart',
  [biff.pie]: 'pie_chart',
  [biff.scatter]: 'scatter_chart',
  [biff.area]: otherChart,
  [biff.radar]: otherChart,
  [biff.radarArea]: otherChart,
  [biff.surface]: otherChart,
};
/** Kinds of points that a record announces (MS-XLS 2.4.256). */
const pointKinds = { values: 1, categories: 2 } as const;
/** Link of the text that is the title of the chart (MS-XLS 2.4.182). */
const titleLink = 1;
/** Links of the axis titles. */
const axisLinks: ReadonlySet<number> = new Set([2, 3, 7]);

/** State while the records of a chart are read. */
interface ChartState extends Chart {
  kinds: Set<string>;
  /** The last text that has its own record. */
  text: string;
  /** The owner of that text. */
  owner: 'series' | 'other';
  /** The current meaning of points. */
  points: number;
}

/** Reads the chart (MS-XLS 2.1.7.20.1) at an offset of the stream, with the cached points of its cells. */
export function readChart(stream: Buffer, start: number, form: StringForm): Chart {
  const chart: ChartState = { kinds: new Set(), series: [], title: '', axes: [], text: '', owner: 'other', points: 0 };
  const sheet = createGraphSheet();
  for (const record of iterateRecords(stream, start)) {
    if (record.type === biff.eof) break;
    if (!sheet.add(record, form)) readRecord(chart, record, form);
  }
  sheet.fill(chart.series);
  return chart;
}

function readRecord(chart: ChartState, record: BiffRecord, form: StringForm): void {
  const kind = classes[record.type];
  if (kind !== undefined) chart.kinds.add(kind);
  const cursor = createCursor(record);
  switch (record.type) {
    case biff.series:
      chart.series.push({ name: '', categories: [], values: [] });
      chart.owner = 'series';
      break;
    case biff.text:
      chart.text = '';
      chart.owner = 'other';
      break;
    case biff.seriesText: {
      cursor.skip(2);
      chart.text = readString(cursor, cursor.uint8(), form).trim();
      const last = chart.series.at(-1);
      if (chart.owner === 'series' && last) last.name ||= chart.text;
      break;
    }
    case biff.objectLink: {
      const link = cursor.uint16();
      if (link === titleLink) chart.title = chart.text;
      else if (axisLinks.has(link) && chart.text !== '') chart.axes.push(chart.text);
      break;
    }
    case biff.pointsOf:
      chart.points = cursor.uint16();
      break;
    case biff.number:
    case biff.label:
      addPoint(chart, record, form);
      break;
    default:
  }
}

function addPoint({ points, series }: ChartState, record: BiffRecord, form: StringForm): void {
  const cursor = createCursor(record);
  const [row, column] = [cursor.uint16(), cursor.uint16()];
  const owner: ChartSeries | undefined = series[column];
  const data = record.parts[0]!;
  if (owner === undefined || row >= maxPoints) return;
  // Gaps between points stay holes, so that the cost of a damaged file is limited by its number of records.
  const list = points === pointKinds.values ? owner.values : owner.categories;
  if (points !== pointKinds.values && points !== pointKinds.categories) return;
  if (record.type === biff.number) list[row] = data.length < 14 ? '' : toPlainNumber(String(data.readDoubleLE(6)));
  else {
    cursor.skip(2);
    list[row] = readString(cursor, form.isUnicode ? cursor.uint16() : cursor.uint8(), form);
  }
}
