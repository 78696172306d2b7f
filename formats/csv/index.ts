import type { Format } from '../format';

/** Values separated by commas, semicolons, tabs or bars; one table. */
export const csv: Format = {
  name: 'csv',
  label: 'CSV',
  mediaTypes: ['text/csv', 'application/csv', 'text/tab-separated-values'],
  extensions: ['csv', 'tsv', 'tab'],
  mayBeEmpty: true,
  load: () => import('./read'),
};
