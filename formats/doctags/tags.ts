import { olderPictureClasses, pictureClasses } from '../../model/page/picture-classes';

/** A DocTags element. Everything between elements is text. */
export interface Tag {
  name: string;
  /** Numbers of the location tokens that belong directly to the element. */
  places: number[];
  content: (Tag | string)[];
}

/** Elements that contain text and no blocks. */
const texts = new Set(
  (
    'title text paragraph caption footnote page_header page_footer reference checkbox_selected checkbox_unselected ' +
    'handwritten_text code formula smiles key value checkbox unspecified section_header field_key field_value field_hint marker empty_value'
  ).split(' '),
);
const blocks = new Set(
  'doctag document unordered_list ordered_list list_item otsl document_index picture chart inline key_value_region form group'.split(
    ' ',
  ),
);
/** Table cells and other elements without content. */
const marks = new Set('fcel ecel ched rhed srow lcel ucel xcel nl page_break'.split(' '));

/** Elements nested more deeply become siblings of their parents. */
const maxDepth = 50;

/** Tag names, `_Python_`, and end marks that models write, such as `|end_of_text|`. */
const token = /<(\/?)([a-z][a-z0-9_]*|_[A-Za-z#+ ]{1,20}_|\|?[a-z_]{3,30}\|?)>/gi;
const modelMarks = /^(?:\||(?:end_of_utterance|fake_token_around_image|image|row_\d+_col_\d+|global-img|s|pad|unk)$)/i;

/**
 * Parses DocTags into a tree; every model output has one. An open element is closed by an element that cannot be inside it,
 * unmatched end tags are ignored, and unknown tags are text. Takes linear time.
 */
export function parseTags(source: string): Tag {
  const root: Tag = { name: 'doctag', places: [], content: [] };
  const open: Tag[] = [root];
  let last = 0;
  const addText = (until: number) => {
    if (until > last) (open.at(-1) as Tag).content.push(source.slice(last, until));
  };
  for (const match of source.matchAll(token)) {
    const [whole, slash, written = ''] = match;
    const name = written.toLowerCase();
    const kind = findKind(name, written);
    // Outside pictures, the names of picture classes are text, such as HTML shown on a page.
    const isWord = kind === 'class' && !isPicture(open.at(-1) as Tag);
    if (kind === undefined || isWord) continue;
    addText(match.index);
    last = match.index + whole.length;
    if (kind === 'model') continue;
    if (slash === '/') closeTag(open, name);
    else if (kind === 'place') (open.at(-1) as Tag).places.push(Number(name.slice(4)));
    else if (kind === 'mark' || kind === 'class')
      (open.at(-1) as Tag).content.push({ name: written, places: [], content: [] });
    else openTag(open, name);
  }
  addText(source.length);
  return root;
}

/** True if the text contains a DocTags element and is neither Markdown nor HTML. */
export function hasTags(source: string): boolean {
  return /<(?:doctag|loc_\d+|section_header_level_\d+|otsl|(?:un)?ordered_list|list_item|page_(?:header|footer)|text|paragraph|formula)>/i.test(
    source,
  );
}

function findKind(name: string, written: string): 'text' | 'block' | 'mark' | 'class' | 'place' | 'model' | undefined {
  if (/^loc_\d{1,4}$/.test(name)) return 'place';
  if (texts.has(getFamily(name))) return 'text';
  if (blocks.has(name)) return 'block';
  if (marks.has(name) || /^link_\d+$/.test(name) || /^_.+_$/.test(written)) return 'mark';
  if (modelMarks.test(name)) return 'model';
  return pictureKinds.has(name) ? 'class' : undefined;
}

/** Maps `section_header_level_2` and `key_0` to `section_header` and `key`. */
function getFamily(name: string): string {
  return name.replace(/^(section_header)_level_\d+$|^(key|value|checkbox|unspecified)_\d+$/, '$1$2');
}

function openTag(open: Tag[], name: string): void {
  while (open.length > 1 && (open.length > maxDepth || !mayContain(open, name))) open.pop();
  const tag: Tag = { name, places: [], content: [] };
  (open.at(-1) as Tag).content.push(tag);
  open.push(tag);
}

/** True if the innermost open element may contain an element with this name. */
function mayContain(open: readonly Tag[], name: string): boolean {
  const inner = open.at(-1) as Tag;
  if (texts.has(getFamily(inner.name))) return name === 'inline' || (name === 'caption' && inner.name === 'code');
  switch (inner.name) {
    case 'inline':
      return texts.has(getFamily(name));
    case 'unordered_list':
    case 'ordered_list':
      return !notInLists.has(getFamily(name));
    case 'list_item':
      return name === 'inline' || name.endsWith('ordered_list');
    case 'picture':
    case 'chart':
      return name === 'otsl' || name === 'smiles' || name === 'caption';
    case 'key_value_region':
      return ['key', 'value', 'checkbox', 'unspecified', 'caption'].includes(getFamily(name));
    case 'otsl':
    case 'document_index':
      // After the end of a row, only a caption or a new row still belongs to the table.
      return name === 'caption' || !hasRowEnded(inner);
    default:
      return true;
  }
}

/** Elements that end a list without an end tag. */
const notInLists = new Set('title section_header page_header page_footer footnote caption doctag'.split(' '));

function isPicture({ name }: Tag): boolean {
  return name === 'picture' || name === 'chart';
}

function hasRowEnded({ content }: Tag): boolean {
  const last = content.findLast((part) => typeof part !== 'string' || part.trim() !== '');
  return last !== undefined && typeof last !== 'string' && (last.name === 'nl' || last.name === 'caption');
}

function closeTag(open: Tag[], name: string): void {
  const family = getFamily(name);
  const at = open.findLastIndex((tag, index) => index > 0 && getFamily(tag.name) === family);
  if (at > 0) open.length = at;
}

/** Picture classes, one of which may occur in a picture as an empty element. */
export const pictureKinds: ReadonlySet<string> = new Set([...pictureClasses, ...olderPictureClasses]);
