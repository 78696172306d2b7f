import type { Format } from '../format';

/** CommonMark with GitHub tables, strikethrough and task lists. */
export const markdown: Format = {
  name: 'md',
  label: 'Markdown',
  mediaTypes: ['text/markdown', 'text/x-markdown'],
  extensions: ['md', 'markdown', 'mdown', 'mkd', 'qmd', 'rmd'],
  mayBeEmpty: true,
  load: () => import('./read'),
};
