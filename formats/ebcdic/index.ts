import type { Format } from '../format';

/** Mainframe files: fixed-length records described by a layout file next to them, or lines. */
export const ebcdic: Format = {
  name: 'ebcdic',
  label: 'EBCDIC',
  mediaTypes: ['application/x-ebcdic'],
  extensions: ['ebc', 'ebcdic'],
  load: () => import('./read'),
};
