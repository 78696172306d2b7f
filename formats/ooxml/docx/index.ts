import type { Format } from '../../format';

/** Word documents and templates, with and without macros. Macros are never read. */
export const docx: Format = {
  name: 'docx',
  label: 'Word',
  mediaTypes: [
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.template',
    'application/vnd.ms-word.document.macroEnabled.12',
    'application/vnd.ms-word.template.macroEnabled.12',
  ],
  extensions: ['docx', 'dotx', 'docm', 'dotm'],
  entries: [/^word\//],
  holds: 'document',
  load: () => import('./read'),
};
