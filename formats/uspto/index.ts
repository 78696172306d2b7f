import type { Format } from '../format';
import { xmlHeadOf } from '../xml-document';

const roots = new Set(['us-patent-grant', 'us-patent-application', 'patent-application-publication', 'PATDOC']);

/** United States patents: applications and grants since 2001, in the document types of three generations. */
export const uspto: Format = {
  name: 'xml_uspto',
  label: 'USPTO patent XML',
  mediaTypes: ['application/xml'],
  extensions: [],
  sniff: (head) => roots.has(xmlHeadOf(head).root),
  load: () => import('./read'),
};
