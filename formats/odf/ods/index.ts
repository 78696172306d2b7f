import type { Format } from '../../format';
import { createFlatOdfDetector } from '../flat';
import { hasLargeSheets, minPackedBytes } from './size';

/** OpenDocument spreadsheets and templates (LibreOffice Calc and others). */
export const ods: Format = {
  name: 'ods',
  label: 'OpenDocument spreadsheet',
  mediaTypes: [
    'application/vnd.oasis.opendocument.spreadsheet',
    'application/vnd.oasis.opendocument.spreadsheet-template',
    'application/vnd.oasis.opendocument.spreadsheet-flat-xml',
  ],
  extensions: ['ods', 'ots', 'fods'],
  sniff: createFlatOdfDetector('spreadsheet'),
  load: () => import('./read'),
  rows: { leastBytes: minPackedBytes, isLarge: hasLargeSheets, load: () => import('./rows') },
};
