import type { Format } from '../../format';

/** PowerPoint 97 to 2003 presentations, shows and templates. Macros are never read. */
export const ppt: Format = {
  name: 'ppt',
  label: 'PowerPoint 97-2003',
  mediaTypes: ['application/vnd.ms-powerpoint'],
  extensions: ['ppt', 'pps', 'pot'],
  streams: ['PowerPoint Document'],
  load: () => import('./read'),
};
