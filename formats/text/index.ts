import type { Format } from '../format';

/** Plain text: paragraphs separated by empty lines. */
export const text: Format = {
  name: 'text',
  label: 'Plain text',
  mediaTypes: ['text/plain'],
  extensions: ['txt', 'text', 'log', 'rst', 'nfo', '1st'],
  serviceName: 'md',
  mayBeEmpty: true,
  readsAnyText: true,
  load: () => import('./read'),
};
