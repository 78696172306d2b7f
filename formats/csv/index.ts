import type { Format } from '../format';

/** Comma, semicolon, tab or pipe separated values; one table. */
export const csv: Format = {
  name: 'csv',
  label: 'CSV',
  mediaTypes: ['text/csv', 'application/csv', 'text/tab-separated-values'],
  extensions: ['csv', 'tsv', 'tab'],
  load: () => import('./read'),
};
