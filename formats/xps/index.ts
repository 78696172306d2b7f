import type { Format } from '../format';

/** XPS and OpenXPS documents: pages with glyph runs at fixed positions (ECMA-388). */
export const xps: Format = {
  name: 'xps',
  label: 'XPS',
  mediaTypes: ['application/vnd.ms-xpsdocument', 'application/oxps'],
  extensions: ['xps', 'oxps'],
  entries: [/\.fdseq(?:$|\/\[0\])/i, /\.f(?:doc|page)(?:$|\/\[0\])/i],
  readsRange: true,
  load: () => import('./read'),
};
