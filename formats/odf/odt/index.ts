import type { Format } from '../../format';
import { createFlatOdfDetector } from '../flat';

/** OpenDocument text documents and templates (LibreOffice Writer and others). */
export const odt: Format = {
  name: 'odt',
  label: 'OpenDocument text',
  mediaTypes: [
    'application/vnd.oasis.opendocument.text',
    'application/vnd.oasis.opendocument.text-template',
    'application/vnd.oasis.opendocument.text-flat-xml',
  ],
  extensions: ['odt', 'ott', 'fodt'],
  sniff: createFlatOdfDetector('text'),
  load: () => import('./read'),
};
