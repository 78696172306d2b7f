import type { Format } from '../format';
import { readXmlHead } from './xml-head';

/** Any other XML: its elements and their text. Must be the last XML format in the list. */
export const xml: Format = {
  name: 'xml',
  label: 'XML',
  mediaTypes: ['application/xml', 'text/xml', 'application/rss+xml', 'application/atom+xml'],
  extensions: [
    'xml',
    'xsd',
    'xsl',
    'xslt',
    'rss',
    'atom',
    'plist',
    'kml',
    'gpx',
    'opml',
    'tei',
    'dbk',
    'docbook',
    'dita',
    'ditamap',
    'xlf',
    'xliff',
    'tmx',
    'rdf',
    'owl',
    'wsdl',
    'gml',
    'resx',
    'csproj',
    'vbproj',
    'fsproj',
    'pom',
    'musicxml',
  ],
  sniff: (head) => /^(?:\u00ef\u00bb\u00bf)?\s*<\?xml\s/.test(readBegin(head)) && readXmlHead(head).root !== '',
  overrides: ['code'],
  load: () => import('./read'),
};

function readBegin(head: Uint8Array): string {
  return Buffer.from(head.subarray(0, 200)).toString('latin1');
}
