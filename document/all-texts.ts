import type { DoclingDocument } from './model';

/**
 * Yields every text of a document on all layers: items, cells, the texts that `meta` holds for charts, drawings and mails, and
 * the names of groups such as sheets. The text of a rich cell is yielded twice if an item holds it as well.
 */
export function* iterateTexts(document: DoclingDocument): Generator<string> {
  for (const { text, meta } of document.texts) {
    yield text;
    yield* findTexts(meta);
  }
  for (const { name, meta } of document.groups) {
    yield name;
    yield* findTexts(meta);
  }
  for (const { data, meta } of document.tables) {
    for (const cell of data.table_cells) if (cell.ref === undefined) yield cell.text;
    yield* findTexts(meta);
  }
  for (const { meta } of document.pictures) yield* findTexts(meta);
  for (const { graph } of [...document.key_value_items, ...document.form_items])
    for (const { text } of graph.cells) yield text;
  yield* findTexts(document.body.meta);
}

function* findTexts(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) yield* findTexts(member);
}
