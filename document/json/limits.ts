import { AppError } from '../../model/errors';
import { maxGridPlaces } from '../grid';
import type { DoclingDocument, Meta, NodeItem, TableData } from '../model';
import { walkNodes } from '../tree';

/** Nested foreign data is rejected beyond this depth, because writers recurse into it. */
const maxDataDepth = 100;

/**
 * Throws DOCUMENT_TOO_LARGE if the cells of all tables, empty ones included, would not fit into memory, and DOCUMENT_CORRUPT if
 * data is nested too deeply.
 */
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
    ...walkNodes(document),
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
