import type { Format } from '../../format';

/** Visio drawings, stencils and templates since Visio 2013. Macros are never read. */
export const vsdx: Format = {
  name: 'vsdx',
  label: 'Visio',
  mediaTypes: [
    'application/vnd.ms-visio.drawing.main+xml',
    'application/vnd.ms-visio.drawing',
    'application/vnd.ms-visio.drawing.macroEnabled.main+xml',
    'application/vnd.ms-visio.template.main+xml',
    'application/vnd.ms-visio.template.macroEnabled.main+xml',
    'application/vnd.ms-visio.stencil.main+xml',
    'application/vnd.ms-visio.stencil.macroEnabled.main+xml',
  ],
  extensions: ['vsdx', 'vsdm', 'vstx', 'vstm', 'vssx', 'vssm'],
  entries: [/^visio\//],
  holds: 'document',
  load: () => import('./read'),
};
