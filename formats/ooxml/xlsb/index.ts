import type { Format } from '../../format';
import { hasLargeSheets, minPackedBytes } from './size';

/** Excel workbooks in the binary form of Excel 2007 and later. Macros are never read. */
export const xlsb: Format = {
  name: 'xlsb',
  label: 'Excel binary workbook',
  mediaTypes: ['application/vnd.ms-excel.sheet.binary.macroEnabled.12'],
  extensions: ['xlsb'],
  entries: [/^xl\/(?:workbook|styles|sharedStrings|worksheets\/[^/]+)\.bin$/],
  holds: 'document',
  load: () => import('./read'),
  rows: { leastBytes: minPackedBytes, isLarge: hasLargeSheets, load: () => import('./rows') },
};
