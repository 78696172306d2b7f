import type { Format } from '../../format';

/** Word 97 to 2003 documents and templates. Macros are never read. */
export const doc: Format = {
  name: 'doc',
  label: 'Word 97-2003',
  mediaTypes: ['application/msword'],
  extensions: ['doc', 'dot'],
  streams: ['WordDocument'],
  load: () => import('./read'),
};
