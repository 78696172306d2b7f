import type { Format } from '../../format';

/** OpenDocument presentations and templates (LibreOffice Impress and others). */
export const odp: Format = {
  name: 'odp',
  label: 'OpenDocument presentation',
  mediaTypes: [
    'application/vnd.oasis.opendocument.presentation',
    'application/vnd.oasis.opendocument.presentation-template',
  ],
  extensions: ['odp', 'otp'],
  load: () => import('./read'),
};
