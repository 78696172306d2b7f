import type { Format } from '../format';
import { readXmlHead } from '../xml/xml-head';

/** Documents in DocLang, written by Docloom or the reference. */
export const doclang: Format = {
  name: 'doclang',
  label: 'DocLang',
  mediaTypes: ['application/vnd.doclang+xml'],
  extensions: ['dclg'],
  sniff: (head) => /(?:^|:)doclang$/.test(readXmlHead(head).root),
  serviceName: 'xml_doclang',
  load: () => import('./read'),
};

/** A DocLang document in an archive with its pictures. */
export const dclx: Format = {
  name: 'dclx',
  label: 'DocLang archive',
  mediaTypes: ['application/vnd.doclang+zip'],
  extensions: ['dclx'],
  load: () => import('./archive'),
};
