import type { Format } from '../../format';
import { hasLargeSheets, minPackedBytes } from './size';

/** Excel workbooks and templates, with and without macros. Macros are never read. */
export const xlsx: Format = {
  name: 'xlsx',
  label: 'Excel',
  mediaTypes: [
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.template',
    'application/vnd.ms-excel.sheet.macroEnabled.12',
    'application/vnd.ms-excel.template.macroEnabled.12',
  ],
  extensions: ['xlsx', 'xltx', 'xlsm', 'xltm'],
  // Workbooks of both kinds contain parts such as `xl/theme/theme1.xml`.
  entries: [/^xl\/(?:workbook|styles|sharedStrings|worksheets\/[^/]+)\.xml$/, /^xl\//],
  holds: 'document',
  load: () => import('./read'),
  rows: { leastBytes: minPackedBytes, isLarge: hasLargeSheets, load: () => import('./rows') },
};
