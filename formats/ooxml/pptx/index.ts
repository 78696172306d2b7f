import type { Format } from '../../format';

/** PowerPoint presentations, shows and templates, with and without macros. Macros are never read. */
export const pptx: Format = {
  name: 'pptx',
  label: 'PowerPoint',
  mediaTypes: [
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    'application/vnd.openxmlformats-officedocument.presentationml.template',
    'application/vnd.openxmlformats-officedocument.presentationml.slideshow',
    'application/vnd.ms-powerpoint.presentation.macroEnabled.12',
    'application/vnd.ms-powerpoint.template.macroEnabled.12',
    'application/vnd.ms-powerpoint.slideshow.macroEnabled.12',
  ],
  extensions: ['pptx', 'potx', 'ppsx', 'pptm', 'potm', 'ppsm'],
  entries: [/^ppt\//],
  holds: 'document',
  load: () => import('./read'),
};
