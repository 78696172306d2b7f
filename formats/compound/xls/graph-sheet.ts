import { type ChartSeries, maxPoints, toPlainNumber } from '../../ooxml/chart';
import type { BiffRecord } from './records';
import { createCursor, readString, type StringForm } from './strings';

/** Cells of the data sheet that a Microsoft Graph chart stores: numbers and labels (MS-OGRAPH 2.3). */
const cellTypes = { number: 0x3, label: 0x4 } as const;
/** Bytes of attributes after row and column. */
const attributes = 3;

/** The data sheet of a chart, by row and column. */
export interface GraphSheet {
  /** Adds a cell; returns false if the record is not a cell. */
  add(record: BiffRecord, form: StringForm): boolean;
  /** Fills series without values from the row or column whose header is the series name. */
  fill(series: readonly ChartSeries[]): void;
}

/** Creates an empty data sheet. */
export function createGraphSheet(): GraphSheet {
  const rows = new Map<number, Map<number, string>>();
  const cell = (row: number, column: number) => rows.get(row)?.get(column);
  return {
    add(record, form) {
      if (record.type !== cellTypes.number && record.type !== cellTypes.label) return false;
      const cursor = createCursor(record);
      const [row, column] = [cursor.uint16(), cursor.uint16()];
      if (row > maxPoints || column > maxPoints) return true;
      const data = record.parts[0]!;
      cursor.skip(attributes);
      const number = () => (data.length < 15 ? '' : toPlainNumber(String(data.readDoubleLE(7))));
      const text = record.type === cellTypes.number ? number() : readString(cursor, cursor.uint8(), form).trim();
      if (!rows.has(row)) rows.set(row, new Map());
      rows.get(row)!.set(column, text);
      return true;
    },
    fill(series) {
      const columns = [...new Set([...rows.values()].flatMap((row) => [...row.keys()]))].toSorted((a, b) => a - b);
      for (const chartSeries of series) {
        if (chartSeries.values.length > 0) continue;
        const row = [...rows.keys()].find((at) => at > 0 && cell(at, 0) === chartSeries.name);
        const column = columns.find((at) => at > 0 && cell(0, at) === chartSeries.name);
        const places = row === undefined ? [...rows.keys()].toSorted((a, b) => a - b) : columns;
        for (const at of places) {
          if (at === 0 || (row === undefined && column === undefined)) continue;
          chartSeries.categories[at - 1] = (row === undefined ? cell(at, 0) : cell(0, at)) ?? '';
          chartSeries.values[at - 1] = (row === undefined ? cell(at, column!) : cell(row, at)) ?? '';
        }
      }
    },
  };
}
