import type { Format } from '../format';

/** Box Notes of the editor used since 2022, whose files are JSON. */
export const boxnote: Format = {
  name: 'boxnote',
  label: 'Box Note',
  mediaTypes: ['application/vnd.box.boxnote'],
  extensions: ['boxnote'],
  load: () => import('./read'),
};
