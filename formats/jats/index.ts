import type { Format } from '../format';
import { readXmlHead } from '../xml/xml-head';

/** Journal articles in JATS and its predecessor, the NLM archiving DTD. */
export const jats: Format = {
  name: 'xml_jats',
  label: 'JATS XML',
  mediaTypes: ['application/xml', 'application/jats+xml'],
  extensions: ['nxml'],
  sniff: (head) => {
    const { root, doctype, tag } = readXmlHead(head);
    return root === 'article' && /JATS|NLM|\barticle-type\s*=/.test(doctype + tag);
  },
  load: () => import('./read'),
};
