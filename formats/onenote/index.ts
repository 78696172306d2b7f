import type { Format } from '../format';

/** Sections of OneNote notebooks, as OneNote 2010 and later save them and as OneNote 2007 and Office 365 exchange them. */
export const onenote: Format = {
  name: 'onenote',
  label: 'OneNote',
  mediaTypes: ['application/onenote', 'application/msonenote'],
  extensions: ['one'],
  // The first GUID of sections (MS-ONESTORE 2.3.1).
  sniff: (head) => Buffer.from(head.subarray(0, 16)).toString('hex') === 'e4525c7b8cd8a74daeb15378d02996d3',
  holds: 'document',
  load: () => import('./read'),
};
