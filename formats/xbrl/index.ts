import type { Format } from '../format';
import { readXmlHead } from '../xml/xml-head';

/** XBRL instances: reports as lists of facts. Taxonomies are not read. */
export const xbrl: Format = {
  name: 'xml_xbrl',
  label: 'XBRL',
  mediaTypes: ['application/xbrl+xml', 'application/xml'],
  extensions: ['xbrl'],
  sniff: (head) => {
    const { root, tag } = readXmlHead(head);
    return root === 'xbrl' ? tag.includes('xbrl.org') : /^[\w.-]+:xbrl$/.test(root);
  },
  load: () => import('./read'),
};
