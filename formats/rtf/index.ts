import type { Format } from '../format';

/** Rich Text Format of Word, WordPad and others, up to version 1.9. */
export const rtf: Format = {
  name: 'rtf',
  label: 'Rich Text Format',
  mediaTypes: ['application/rtf', 'text/rtf'],
  extensions: ['rtf'],
  sniff: (head) => Buffer.from(head.subarray(0, 5)).toString('latin1') === '{\\rtf',
  load: () => import('./read'),
};
