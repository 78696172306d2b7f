import type { Format } from '../format';

/** Scanned documents in the format DjVu, with the text that a program recognized in them. */
export const djvu: Format = {
  name: 'djvu',
  label: 'DjVu',
  mediaTypes: ['image/vnd.djvu', 'image/x-djvu', 'image/vnd.djvu+multipage'],
  extensions: ['djvu', 'djv'],
  sniff: (head) => Buffer.from(head.subarray(0, 8)).toString('latin1') === 'AT&TFORM',
  readsRange: true,
  load: () => import('./read'),
};
