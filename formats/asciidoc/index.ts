import type { Format } from '../format';

/** AsciiDoc: headings, paragraphs, lists, tables, listings, images. Inline markup is kept as text. */
export const asciidoc: Format = {
  name: 'asciidoc',
  label: 'AsciiDoc',
  mediaTypes: ['text/asciidoc'],
  extensions: ['adoc', 'asciidoc', 'asc'],
  mayBeEmpty: true,
  load: () => import('./read'),
};
