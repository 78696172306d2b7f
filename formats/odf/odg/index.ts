import type { Format } from '../../format';
import { createFlatOdfDetector } from '../flat';

/** OpenDocument drawings and templates (LibreOffice Draw and others). */
export const odg: Format = {
  name: 'odg',
  label: 'OpenDocument drawing',
  mediaTypes: [
    'application/vnd.oasis.opendocument.graphics',
    'application/vnd.oasis.opendocument.graphics-template',
    'application/vnd.oasis.opendocument.graphics-flat-xml',
  ],
  extensions: ['odg', 'otg', 'fodg'],
  sniff: createFlatOdfDetector('graphics'),
  load: () => import('./read'),
};
