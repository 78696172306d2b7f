import type { Format } from '../../format';
import { hasLargeSheets, minBytes } from './size';
import { isBareSheet } from './versions';

/** Excel 2 to 2003 workbooks and templates. Macros are never read. */
export const xls: Format = {
  name: 'xls',
  label: 'Excel 97-2003',
  mediaTypes: ['application/vnd.ms-excel'],
  extensions: ['xls', 'xlt', 'xlw'],
  sniff: isBareSheet,
  streams: ['Workbook', 'Book'],
  load: () => import('./read'),
  rows: { leastBytes: minBytes, isLarge: hasLargeSheets, load: () => import('./rows') },
};
