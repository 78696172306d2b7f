import type { Format } from '../../format';

/** Messages saved by Outlook. */
export const msg: Format = {
  name: 'msg',
  label: 'Outlook message',
  mediaTypes: ['application/vnd.ms-outlook'],
  extensions: ['msg'],
  serviceName: 'email',
  streams: ['__properties_version1.0'],
  holds: 'document',
  load: () => import('./read'),
};
