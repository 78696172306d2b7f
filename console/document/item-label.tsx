import { texts } from '../texts';
import type { PageItem } from './kinds';

/** Reading order, label and, for a table, size of an item. */
export function ItemLabel({ item: { order, label, table } }: { item: PageItem }) {
  const parts = [
    order === undefined ? '' : String(order),
    label.replaceAll('_', ' '),
    table ? texts.pages.size(table.rows, table.columns) : '',
  ];
  return <span className="node-label">{parts.filter(Boolean).join(' · ')}</span>;
}
