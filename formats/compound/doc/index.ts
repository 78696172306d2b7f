import type { Format } from '../../format';

/** Word documents and templates of Word 97 to 2003 (macros are never read). */
export const doc: Format = {
  name: 'doc',
  label: 'Word 97-2003',
  mediaTypes: ['application/msword'],
  extensions: ['doc', 'dot'],
  load: () => import('./read'),
};
