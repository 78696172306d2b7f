import type { Format } from '../../format';
import { isBareSheet } from './versions';

/** Excel workbooks and templates of Excel 2 to 2003 (macros are never read). */
export const xls: Format = {
  name: 'xls',
  label: 'Excel 97-2003',
  mediaTypes: ['application/vnd.ms-excel'],
  extensions: ['xls', 'xlt', 'xlw'],
  sniff: isBareSheet,
  load: () => import('./read'),
};
