import type { Format } from '../../format';
import { createFlatOdfDetector } from '../flat';

/** OpenDocument presentations and templates (LibreOffice Impress and others). */
export const odp: Format = {
  name: 'odp',
  label: 'OpenDocument presentation',
  mediaTypes: [
    'application/vnd.oasis.opendocument.presentation',
    'application/vnd.oasis.opendocument.presentation-template',
    'application/vnd.oasis.opendocument.presentation-flat-xml',
  ],
  extensions: ['odp', 'otp', 'fodp'],
  sniff: createFlatOdfDetector('presentation'),
  load: () => import('./read'),
};
