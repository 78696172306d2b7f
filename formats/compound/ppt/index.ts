import type { Format } from '../../format';

/** PowerPoint presentations, shows and templates of PowerPoint 97 to 2003 (macros are never read). */
export const ppt: Format = {
  name: 'ppt',
  label: 'PowerPoint 97-2003',
  mediaTypes: ['application/vnd.ms-powerpoint'],
  extensions: ['ppt', 'pps', 'pot'],
  load: () => import('./read'),
};
