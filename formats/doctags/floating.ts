import type { KeyValueItem, NodeItem, PictureItem, TableItem } from '../../document/model';
import { type OtslPlace, buildTable } from './otsl';
import { addCaption, readProvenance, type Reading, listTags, readText } from './places';
import { pictureKinds, type Tag } from './tags';

/** Adds a table, or its text if it has neither cells nor a caption. */
export function addTable(reading: Reading, tag: Tag, parent: NodeItem): void {
  const { builder } = reading;
  const rows = listRows(tag);
  const captions = listTags(tag, 'caption');
  if (rows.length === 0 && captions.length === 0) {
    const text = readText(tag).trim();
    if (text !== '') builder.text('text', text, { parent, ...readProvenance(reading, tag, text) });
    return;
  }
  const label = tag.name === 'document_index' ? 'document_index' : 'table';
  const table = builder.table(buildTable(rows), { parent, label, ...readProvenance(reading, tag, '') });
  for (const caption of captions) addOwnedCaption(reading, caption, tag, table);
}

/** Returns the rows of a table. Text before the first cell does not belong to the table. */
function listRows({ content }: Tag): OtslPlace[][] {
  const rows: OtslPlace[][] = [];
  let row: OtslPlace[] = [];
  for (const part of content) {
    if (typeof part === 'string' || !/^(?:[fe]cel|[cr]hed|srow|[lux]cel|nl)$/i.test(part.name)) {
      const cell = row.at(-1);
      if (cell && typeof part === 'string') cell.text += part;
      else if (cell && typeof part !== 'string' && part.name !== 'caption') cell.text += ` ${joinCellText(part)} `;
    } else if (part.name.toLowerCase() === 'nl') {
      rows.push(row);
      row = [];
    } else row.push({ kind: part.name.toLowerCase(), text: '' });
  }
  if (row.length > 0) rows.push(row);
  return rows
    .filter((places) => places.length > 0)
    .map((places) => places.map(({ kind, text }) => ({ kind, text: text.replace(/ {2,}/g, ' ').trim() })));
}

/** Returns the texts of an element in a cell, including nested captions and cells. */
function joinCellText({ content }: Tag): string {
  return content
    .map((part) => (typeof part === 'string' ? part : joinCellText(part)).trim())
    .filter((text) => text !== '')
    .join(' ');
}

/** Adds a picture with its class, chart data and captions. */
export function addPicture(reading: Reading, tag: Tag, parent: NodeItem): void {
  const picture = reading.builder.picture({ parent, ...readProvenance(reading, tag, '') });
  const kind = tag.content.find((part): part is Tag => typeof part !== 'string' && pictureKinds.has(part.name));
  const smiles = listTags(tag, 'smiles').map(readText).find(Boolean)?.trim();
  const rows = listRows(listTags(tag, 'otsl')[0] ?? tag);
  const meta = {
    ...(kind ? { classification: { predictions: [{ class_name: kind.name }] } } : {}),
    ...(smiles ? { molecule: { smi: smiles } } : {}),
    ...(rows.length > 0 ? { tabular_chart: { chart_data: buildTable(rows) } } : {}),
  };
  if (Object.keys(meta).length > 0) picture.meta = meta;
  for (const caption of listTags(tag, 'caption')) addOwnedCaption(reading, caption, tag, picture);
}

/** Adds a caption below the item that it belongs to. */
function addOwnedCaption(
  reading: Reading,
  caption: Tag,
  tag: Tag,
  owner: PictureItem | TableItem | KeyValueItem,
): void {
  const added = addCaption(reading, caption, tag, owner);
  if (added) owner.captions.push({ $ref: added.self_ref });
}

/** Adds keys and values with their links. */
export function addKeyValues(reading: Reading, tag: Tag, parent: NodeItem): void {
  const { document } = reading.builder;
  const parts = tag.content.filter(
    (part): part is Tag => typeof part !== 'string' && /^(?:key|value|checkbox|unspecified)_?\d*$/.test(part.name),
  );
  // `key_0` and `value_1` have their own numbers; others are numbered by position.
  const getId = ({ name }: Tag, index: number) => Number(/\d+$/.exec(name)?.[0] ?? index);
  const cells = parts.map((part, index) => {
    const text = readText(part).trim();
    return { label: part.name.replace(/_?\d*$/, ''), cell_id: getId(part, index), text, orig: text };
  });
  const links = parts.flatMap((part, index) =>
    part.content.flatMap((item) => {
      const target = typeof item === 'string' ? undefined : /^link_(\d+)$/.exec(item.name)?.[1];
      return target === undefined
        ? []
        : [{ label: 'to_value', source_cell_id: getId(part, index), target_cell_id: Number(target) }];
    }),
  );
  const self_ref = `#/key_value_items/${document.key_value_items.length}`;
  parent.children.push({ $ref: self_ref });
  const region: KeyValueItem = {
    self_ref,
    parent: { $ref: parent.self_ref },
    children: [],
    content_layer: 'body',
    label: 'key_value_region',
    captions: [],
    references: [],
    footnotes: [],
    image: null,
    graph: { cells, links },
    prov: readProvenance(reading, tag, '').prov ?? [],
  };
  document.key_value_items.push(region);
  for (const caption of listTags(tag, 'caption')) addOwnedCaption(reading, caption, tag, region);
}
