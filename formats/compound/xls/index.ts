import type { Format } from '../../format';

/** Excel workbooks and templates of Excel 5 to 2003 (macros are never read). */
export const xls: Format = {
  name: 'xls',
  label: 'Excel 97-2003',
  mediaTypes: ['application/vnd.ms-excel'],
  extensions: ['xls', 'xlt'],
  load: () => import('./read'),
};
