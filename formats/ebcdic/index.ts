import type { Format } from '../format';

/** Files of mainframes: records of a fixed length by a layout file beside them, else lines. */
export const ebcdic: Format = {
  name: 'ebcdic',
  label: 'EBCDIC',
  mediaTypes: ['application/x-ebcdic'],
  extensions: ['ebc', 'ebcdic'],
  load: () => import('./read'),
};
