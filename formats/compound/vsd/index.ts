import type { Format } from '../../format';

/** Visio 2003 to 2010 drawings, stencils and templates. */
export const vsd: Format = {
  name: 'vsd',
  label: 'Visio 2003-2010',
  mediaTypes: ['application/vnd.visio', 'application/x-visio'],
  extensions: ['vsd', 'vss', 'vst'],
  overrides: [],
  streams: ['VisioDocument'],
  load: () => import('./read'),
};
