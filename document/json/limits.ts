import { AppError } from '../../model/errors';
import { maxGridPlaces } from '../grid';
import type { DoclingDocument, Meta, NodeItem, TableData } from '../model';
import { allNodes } from '../tree';

/** Data of others within a document are not read if they are nested deeper: writers walk them by recursion. */
const maxDataDepth = 100;

/** DOCUMENT_TOO_LARGE for tables whose places, empty ones too, would not fit into memory; DOCUMENT_CORRUPT for endless nesting. */
export function checkLimits(document: DoclingDocument): void {
  let places = 0;
  const addTable = (place: string, { num_rows: rows, num_cols: columns }: TableData) => {
    places += rows * Math.max(1, columns);
    if (places <= maxGridPlaces) return;
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `${place} has ${rows} × ${columns} places; the tables of a document may have ${maxGridPlaces}.`,
    );
  };
  const nodes: { ref: string; node: NodeItem }[] = [
    { ref: '#/body', node: document.body },
    { ref: '#/furniture', node: document.furniture },
    ...allNodes(document),
  ];
  for (const { ref, node } of nodes) {
    const place = ref.slice(1);
    if ('data' in node) addTable(`${place}/data`, node.data);
    const chart = (node.meta as Meta | null | undefined)?.tabular_chart?.chart_data;
    if (chart) addTable(`${place}/meta/tabular_chart/chart_data`, chart);
    for (const name of ['meta', 'annotations', 'source', 'comments'] as const) {
      const value = (node as Partial<Record<typeof name, unknown>>)[name];
      if (value && isDeeper(value, maxDataDepth))
        throw new AppError('DOCUMENT_CORRUPT', `${place}/${name} is nested deeper than ${maxDataDepth} levels.`);
    }
  }
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((part) => isDeeper(part, depth - 1));
}
