import type { Format } from '../../format';

/** Messages saved by Outlook. */
export const msg: Format = {
  name: 'msg',
  label: 'Outlook message',
  mediaTypes: ['application/vnd.ms-outlook'],
  extensions: ['msg'],
  load: () => import('./read'),
};
