import type { Format } from '../format';

/** PDF. Its text layer is read; pages without one are returned as pictures. */
export const pdf: Format = {
  name: 'pdf',
  label: 'PDF',
  mediaTypes: ['application/pdf', 'application/x-pdf'],
  extensions: ['pdf'],
  sniff: (head) => Buffer.from(head.subarray(0, 5)).toString('latin1') === '%PDF-',
  holds: 'document',
  rarelyHolds: true,
  readsRange: true,
  load: () => import('./read'),
  loadDrawing: () => import('./draw'),
};
