import type { DocumentPage } from '../../client';

export type PageItem = DocumentPage['items'][number];

/** Kinds of items that have their own colour. */
export const kinds = ['heading', 'text', 'list', 'table', 'picture', 'caption', 'code', 'field', 'margin'] as const;
export type Kind = (typeof kinds)[number];

const byLabel: Readonly<Record<string, Kind>> = {
  title: 'heading',
  section_header: 'heading',
  field_heading: 'heading',
  list_item: 'list',
  list: 'list',
  ordered_list: 'list',
  table: 'table',
  document_index: 'table',
  picture: 'picture',
  chart: 'picture',
  caption: 'caption',
  footnote: 'caption',
  reference: 'caption',
  code: 'code',
  formula: 'code',
  page_header: 'margin',
  page_footer: 'margin',
  form: 'field',
  key_value_region: 'field',
  checkbox_selected: 'field',
  checkbox_unselected: 'field',
};

/** The kind of an item, by its label. */
export function getKind({ label, layer }: Pick<PageItem, 'label' | 'layer'>): Kind {
  if (layer === 'furniture') return 'margin';
  return byLabel[label] ?? (label.startsWith('field_') ? 'field' : 'text');
}
