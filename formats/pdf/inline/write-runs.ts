import type { DocumentBuilder } from '../../../document/builder';
import type { Formatting, GroupItem, NodeItem, Provenance, TextItem } from '../../../document/model';
import { nodeAt } from '../../../document/tree';

/** A run with its position on a page. */
export interface PlacedRun {
  text: string;
  formatting: Formatting | null;
  hyperlink: string | null;
  /** The TeX of a run that is a formula; `text` then contains its signs. */
  tex?: string;
  /** No space separates this run from the one before it. */
  isAttached?: true;
  prov: Provenance;
}

/** A paragraph or list item that may continue in the next column. */
export interface OpenText {
  /** The paragraph, the list item, or the first run of an inline group. */
  item: TextItem;
  /** The inline group, for a text in several styles. */
  group?: GroupItem;
  last: TextItem;
  text: string;
}

/** Writes a paragraph: one text item for a single style, an inline group for several. */
export function writeParagraph(
  builder: DocumentBuilder,
  text: string,
  whole: Provenance,
  runs: readonly PlacedRun[],
): OpenText {
  const [only] = runs;
  if (!only || (runs.length === 1 && only.tex === undefined)) {
    const { formatting = null, hyperlink = null } = only ?? {};
    const item = builder.text('text', text, { prov: [whole], formatting, hyperlink });
    return { item, last: item, text };
  }
  const group = builder.group('inline');
  const items = addRuns(builder, group, runs);
  return { item: items[0] as TextItem, group, last: items.at(-1) as TextItem, text };
}

/** Applies runs to a list item or note: a single run sets its style, several become an inline group below it. */
export function styleItem(builder: DocumentBuilder, item: TextItem, runs: readonly PlacedRun[]): OpenText {
  const { text } = item;
  const [only] = runs;
  if (!only) return { item, last: item, text };
  if (runs.length === 1 && only.tex === undefined) {
    Object.assign(item, { formatting: only.formatting, hyperlink: only.hyperlink });
    return { item, last: item, text };
  }
  item.text = '';
  const group = builder.group('inline', { parent: item });
  return { item, group, last: addRuns(builder, group, runs).at(-1) as TextItem, text };
}

/** Appends the continuation of an open text; `join` joins two pieces of running text. */
export function continueRuns(
  builder: DocumentBuilder,
  open: OpenText,
  runs: readonly PlacedRun[],
  join: (end: string, start: string) => string,
): OpenText {
  const [first, ...others] = runs as [PlacedRun, ...PlacedRun[]];
  const text = runs.reduce((whole, run) => join(whole, run.text), open.text);
  const isFormula = first.tex !== undefined || open.last.label === 'formula';
  const isJoined = !isFormula && (hasStyle(open.last, first) || /-$/.test(open.text));
  const rest = isJoined ? others : runs;
  const group = rest.length === 0 ? open.group : (open.group ?? toGroup(builder, open.item));
  const last = group ? (nodeAt(builder.document, group.children.at(-1)!.$ref) as TextItem) : open.last;
  if (isJoined) {
    const start = last.text.length + 1;
    last.text = join(last.text, first.text);
    last.orig = join(last.orig, first.text);
    last.prov.push({ ...first.prov, charspan: [start, last.text.length] });
    if (group && open.item.label !== 'text') open.item.prov.push(first.prov);
  }
  const added = group ? addRuns(builder, group, rest) : [];
  return { item: open.item, ...(group ? { group } : {}), last: added.at(-1) ?? last, text };
}

function addRuns(builder: DocumentBuilder, parent: GroupItem, runs: readonly PlacedRun[]): TextItem[] {
  return runs.map(({ text, formatting, hyperlink, tex, isAttached, prov }) =>
    tex === undefined
      ? builder.text('text', text, { parent, formatting, hyperlink, prov: [prov], isRunOn: isAttached === true })
      : builder.text('formula', tex, { parent, orig: text, prov: [prov] }),
  );
}

/** Moves a text in one style into a new inline group: in place of a paragraph, below any other item. */
function toGroup(builder: DocumentBuilder, item: TextItem): GroupItem {
  if (item.label !== 'text') {
    const { text, formatting = null, hyperlink = null, prov } = item;
    Object.assign(item, { text: '', formatting: null, hyperlink: null });
    const group = builder.group('inline', { parent: item });
    builder.text('text', text, { parent: group, formatting, hyperlink, prov: [...prov] });
    return group;
  }
  const parent = nodeAt(builder.document, item.parent!.$ref) as NodeItem;
  const group = builder.group('inline', { parent });
  const ref = parent.children.pop()!;
  parent.children.splice(
    parent.children.findIndex(({ $ref }) => $ref === item.self_ref),
    1,
    ref,
  );
  group.children.push({ $ref: item.self_ref });
  item.parent = { $ref: group.self_ref };
  return group;
}

function hasStyle(item: TextItem, run: PlacedRun): boolean {
  const key = ({ formatting, hyperlink }: Pick<TextItem, 'formatting' | 'hyperlink'>) =>
    JSON.stringify([formatting ?? null, hyperlink ?? null]);
  return key(item) === key(run);
}
