import type { DoclingDocument } from './model';

/**
 * Every text of a document on any layer: of items, cells, and what `meta` holds of charts, drawings and mails; names of groups
 * too, such as those of sheets. A text of a rich cell comes twice where an item holds it as well.
 */
export function* textsOfDocument(document: DoclingDocument): Generator<string> {
  for (const { text, meta } of document.texts) {
    yield text;
    yield* textsWithin(meta);
  }
  for (const { name, meta } of document.groups) {
    yield name;
    yield* textsWithin(meta);
  }
  for (const { data, meta } of document.tables) {
    for (const cell of data.table_cells) if (cell.ref === undefined) yield cell.text;
    yield* textsWithin(meta);
  }
  for (const { meta } of document.pictures) yield* textsWithin(meta);
  for (const { graph } of [...document.key_value_items, ...document.form_items])
    for (const { text } of graph.cells) yield text;
  yield* textsWithin(document.body.meta);
}

function* textsWithin(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) yield* textsWithin(member);
}
