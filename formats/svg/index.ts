import type { Format } from '../format';
import { readXmlHead } from '../xml/xml-head';

/** Vector drawings: their texts. Nothing is fetched or executed. */
export const svg: Format = {
  name: 'svg',
  label: 'SVG',
  mediaTypes: ['image/svg+xml'],
  extensions: ['svg'],
  sniff: (head) => /^(?:[\w.-]+:)?svg$/.test(readXmlHead(head).root),
  load: () => import('./read'),
};
