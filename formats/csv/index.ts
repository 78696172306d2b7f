import type { Format } from '../format';

/** Above this size, the cells of the table would need more memory than a conversion thread has. */
const largeBytes = 12 * 1024 * 1024;

/** Values separated by commas, semicolons, tabs or bars, read as one table. */
export const csv: Format = {
  name: 'csv',
  label: 'CSV',
  mediaTypes: ['text/csv', 'application/csv', 'text/tab-separated-values'],
  extensions: ['csv', 'tsv', 'tab'],
  mayBeEmpty: true,
  load: () => import('./read'),
  rows: { leastBytes: largeBytes, isLarge: (bytes) => bytes.length >= largeBytes, load: () => import('./rows') },
};
