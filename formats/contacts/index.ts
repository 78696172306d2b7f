import type { Format } from '../format';

/** Contacts (vCard 2.1 to 4.0). */
export const vcf: Format = {
  name: 'vcf',
  label: 'Contacts',
  mediaTypes: ['text/vcard', 'text/x-vcard'],
  extensions: ['vcf', 'vcard'],
  sniff: (head) =>
    /^(?:\u00ef\u00bb\u00bf)?\s*(?:[\w-]+\.)?BEGIN:VCARD\s/i.test(Buffer.from(head.subarray(0, 64)).toString('latin1')),
  load: () => import('./read'),
};
