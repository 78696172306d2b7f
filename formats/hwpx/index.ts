import type { Format } from '../format';

/** Documents of Hangul since 2014, in the XML form (OWPML, KS X 6101). */
export const hwpx: Format = {
  name: 'hwpx',
  label: 'Hangul',
  mediaTypes: ['application/hwp+zip', 'application/vnd.hancom.hwpx'],
  extensions: ['hwpx'],
  entries: [/^Contents\/(?:content\.hpf|section\d+\.xml)$/],
  load: () => import('./read'),
};
