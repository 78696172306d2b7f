import type { Format } from '../format';

/** Electronic books without digital rights management. */
export const epub: Format = {
  name: 'epub',
  label: 'EPUB',
  mediaTypes: ['application/epub+zip'],
  extensions: ['epub'],
  load: () => import('./read'),
};
