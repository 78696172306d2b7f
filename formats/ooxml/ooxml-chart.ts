import type { DocumentBuilder, Placement } from '../../document/builder';
import type { PictureItem } from '../../document/model';
import { findChild, listDescendants, listElements, joinText, type XmlElement } from '../xml/xml';
import { type ChartSeries, describeChart, maxPoints, otherChart, toPlainNumber } from './chart';
import { readDrawingText } from './text';
import { createCellFormats } from './xlsx/cell-format';

/** Resolves a cell reference such as `Sheet1!$B$2:$B$7` to the texts of its cells; undefined if it cannot be resolved. */
export type ResolveCells = (reference: string) => string[] | undefined;

/** Chart classes by the names of plots. */
const classes: readonly [RegExp, string][] = [
  [/^c:bar/, 'bar_chart'],
  [/^c:line/, 'line_chart'],
  [/^c:(?:pie|doughnut|ofPie)/, 'pie_chart'],
  [/^c:scatter/, 'scatter_chart'],
];

/**
 * Adds a chart as a picture with class and data in `meta` and the title as its caption. `chart` is the root of the chart part;
 * without it the picture is empty.
 */
export function addChartPicture(
  builder: DocumentBuilder,
  chart: XmlElement | undefined,
  options: Placement,
  resolve?: ResolveCells,
): PictureItem {
  const picture = builder.picture(options);
  const space = findChild(chart, 'c:chart');
  const plots = listElements(findChild(space, 'c:plotArea')).filter(({ name }) => /Chart$/.test(name));
  if (plots.length === 0) return picture;
  const kinds = new Set(plots.map(({ name }) => classes.find(([sign]) => sign.test(name))?.[1] ?? otherChart));
  const date1904 = findChild(chart, 'c:date1904');
  const starts1904 = date1904 !== undefined && !/^(?:0|false)$/.test(date1904.attributes['val'] ?? '1');
  const series = plots.flatMap((plot) =>
    listElements(plot, 'c:ser').map((element) => readSeries(element, { resolve, starts1904 })),
  );
  const axes = listElements(findChild(space, 'c:plotArea'))
    .filter(({ name }) => /Ax$/.test(name))
    .map(readTitle)
    .filter((title) => title !== '');
  describeChart(builder, picture, { kinds, series, title: readTitle(space), axes }, options);
  return picture;
}

function readTitle(chart: XmlElement | undefined): string {
  const text = findChild(findChild(chart, 'c:title'), 'c:tx');
  const rich = findChild(text, 'c:rich');
  if (rich !== undefined) return listElements(rich, 'a:p').map(readDrawingText).join(' ').trim();
  return text === undefined ? '' : (listPoints(text, undefined)[0] ?? '').trim();
}

interface SeriesContext {
  resolve: ResolveCells | undefined;
  /** Day 0 of dates is 1904-01-01. */
  starts1904: boolean;
}

function readSeries(series: XmlElement, { resolve, starts1904 }: SeriesContext): ChartSeries {
  const title = findChild(series, 'c:tx');
  const name = findChild(title, 'c:v');
  const categories = findChild(series, 'c:cat') ?? findChild(series, 'c:xVal');
  const values = findChild(series, 'c:val') ?? findChild(series, 'c:yVal');
  return {
    name: name === undefined ? (listPoints(title, resolve)[0] ?? '') : joinText(name),
    categories: formatDates(listPoints(categories, resolve), categories, starts1904),
    values: listPoints(values, resolve),
  };
}

/** Formats dates, which are stored as days, as the axis shows them. Other points are unchanged. */
function formatDates(points: string[], source: XmlElement | undefined, starts1904: boolean): string[] {
  const [cache] = source ? listDescendants(source, 'c:numCache') : [];
  const code = cache ? joinText(findChild(cache, 'c:formatCode')) : '';
  if (!/[dy]/i.test(code.replaceAll(/"[^"]*"|\\.|\[[^\]]*\]/g, ''))) return points;
  const formats = createCellFormats(new Map([['0', code]]), ['0'], starts1904);
  return points.map((point) =>
    point !== '' && Number.isFinite(Number(point)) ? formats.number(Number(point), 0).text : point,
  );
}

/** Returns the values cached in the chart, else those of the referenced cells. */
function listPoints(source: XmlElement | undefined, resolve: ResolveCells | undefined): string[] {
  if (source === undefined) return [];
  const level = findChild(findChild(findChild(source, 'c:multiLvlStrRef'), 'c:multiLvlStrCache'), 'c:lvl');
  const caches = ['c:strCache', 'c:numCache', 'c:strLit', 'c:numLit'].flatMap((name) => listDescendants(source, name));
  const cache = level ?? caches[0];
  const points: string[] = [];
  for (const point of listElements(cache, 'c:pt')) {
    const index = Number(point.attributes['idx']);
    if (Number.isInteger(index) && index >= 0 && index < maxPoints)
      points[index] = toPlainNumber(joinText(findChild(point, 'c:v')));
  }
  const [formula] = listDescendants(source, 'c:f');
  if (points.length > 0 || formula === undefined) return Array.from(points, (point) => point ?? '');
  return resolve?.(joinText(formula)) ?? [];
}
