import type { Format } from '../../format';

/** OpenDocument spreadsheets and templates (LibreOffice Calc and others). */
export const ods: Format = {
  name: 'ods',
  label: 'OpenDocument spreadsheet',
  mediaTypes: [
    'application/vnd.oasis.opendocument.spreadsheet',
    'application/vnd.oasis.opendocument.spreadsheet-template',
  ],
  extensions: ['ods', 'ots'],
  load: () => import('./read'),
};
