import type { Format } from '../../format';

/** Spreadsheets of Numbers 3 (2013) and later. */
export const numbers: Format = {
  name: 'iwork_numbers',
  label: 'iWork Numbers',
  mediaTypes: ['application/vnd.apple.numbers', 'application/x-iwork-numbers-sffnumbers'],
  extensions: ['numbers'],
  load: () => import('./read'),
};
