import type { Format } from '../format';
import { readXmlHead } from '../xml/xml-head';
import { isAps } from './dialect';

const roots = new Set(['us-patent-grant', 'us-patent-application', 'patent-application-publication', 'PATDOC']);

/**
 * United States patents: applications and grants since 2001 in three generations of document types, and older grants as plain
 * text.
 */
export const uspto: Format = {
  name: 'xml_uspto',
  label: 'USPTO patent',
  mediaTypes: ['application/xml'],
  extensions: [],
  sniff: (head) => isAps(head) || roots.has(readXmlHead(head).root),
  load: () => import('./read'),
};
