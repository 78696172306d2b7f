import type { Format } from '../format';

/** AsciiDoc: headings, paragraphs, lists, tables, listings, images; marks within a line stay as they are written. */
export const asciidoc: Format = {
  name: 'asciidoc',
  label: 'AsciiDoc',
  mediaTypes: ['text/asciidoc'],
  extensions: ['adoc', 'asciidoc', 'asc'],
  load: () => import('./read'),
};
