import type { Format } from '../format';

/** The JSON of a DoclingDocument, written by Docloom or the reference. */
export const doclingJson: Format = {
  name: 'docling',
  label: 'DoclingDocument',
  mediaTypes: ['application/json'],
  extensions: [],
  sniff: (head) =>
    /^(?:\u00ef\u00bb\u00bf)?\s*\{[^{]*?"schema_name"\s*:\s*"DoclingDocument"/.test(
      Buffer.from(head.subarray(0, 4096)).toString('latin1'),
    ),
  serviceName: 'json_docling',
  overrides: ['text', 'json'],
  load: () => import('./read'),
};
