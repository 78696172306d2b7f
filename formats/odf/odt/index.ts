import type { Format } from '../../format';

/** OpenDocument text documents and templates (LibreOffice Writer and others). */
export const odt: Format = {
  name: 'odt',
  label: 'OpenDocument text',
  mediaTypes: ['application/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.text-template'],
  extensions: ['odt', 'ott'],
  load: () => import('./read'),
};
