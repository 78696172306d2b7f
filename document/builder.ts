import type {
  ContentLayer,
  DoclingDocument,
  DocumentOrigin,
  Formatting,
  GroupItem,
  ImageRef,
  NodeItem,
  PictureItem,
  Provenance,
  TableData,
  TableItem,
  TextItem,
  TextLabel,
} from './model';
import { runOnMeta } from './run-on';
import { documentVersion } from './version';

/** Options of every added item. Without `parent` the item becomes a child of the body. */
export interface Placement {
  parent?: NodeItem | undefined;
  layer?: ContentLayer;
  prov?: Provenance[];
}
type TextOptions = Placement & {
  /** The text as in the source, if `text` was normalised. */
  orig?: string;
  formatting?: Formatting | null;
  /** The run follows the one before it without white space. */
  isRunOn?: boolean | undefined;
  hyperlink?: string | null;
};

/** Builds a document and keeps parents, children and `self_ref`s consistent. */
export interface DocumentBuilder {
  readonly document: DoclingDocument;
  text(
    label: Exclude<TextLabel, 'section_header' | 'list_item' | 'code'>,
    text: string,
    options?: TextOptions,
  ): TextItem;
  /** `level` 1 is the level below the title. */
  heading(level: number, text: string, options?: TextOptions): TextItem;
  listItem(text: string, options: TextOptions & { parent: GroupItem; enumerated?: boolean; marker?: string }): TextItem;
  code(text: string, options?: TextOptions & { language?: string }): TextItem;
  group(label: GroupItem['label'], options?: Omit<Placement, 'prov'> & { name?: string }): GroupItem;
  table(data: TableData, options?: Placement & { captions?: TextItem[]; label?: TableItem['label'] }): TableItem;
  picture(options?: Placement & { captions?: TextItem[]; image?: ImageRef; label?: PictureItem['label'] }): PictureItem;
  page(pageNo: number, width: number, height: number): void;
  /** Adds a caption to `owner`, which becomes its parent. */
  caption(owner: TableItem | PictureItem, text: string, options?: TextOptions): TextItem;
}

/** Creates an empty document. `name` is the file name without its extension. */
export function createDocument(name: string, origin?: DocumentOrigin): DocumentBuilder {
  const createRoot = (ref: 'body' | 'furniture'): GroupItem => ({
    self_ref: `#/${ref}`,
    parent: null,
    children: [],
    content_layer: ref,
    meta: null,
    name: '_root_',
    label: 'unspecified',
  });
  const document: DoclingDocument = {
    schema_name: 'DoclingDocument',
    version: documentVersion,
    name,
    origin: origin ?? null,
    furniture: createRoot('furniture'),
    body: createRoot('body'),
    groups: [],
    texts: [],
    pictures: [],
    tables: [],
    key_value_items: [],
    form_items: [],
    pages: {},
  };

  function createBase(array: 'groups' | 'pictures' | 'tables', options: Placement) {
    const parent = options.parent ?? document.body;
    const self_ref = `#/${array}/${document[array].length}`;
    parent.children.push({ $ref: self_ref });
    return {
      self_ref,
      parent: { $ref: parent.self_ref },
      children: [],
      content_layer: options.layer ?? 'body',
      meta: null,
    };
  }
  function addText(label: TextLabel, value: string, options: TextOptions, extra?: Partial<TextItem>): TextItem {
    const parent = options.parent ?? document.body;
    const self_ref = `#/texts/${document.texts.length}`;
    parent.children.push({ $ref: self_ref });
    // Set field by field: spreading objects takes three times as long, and documents have thousands of texts.
    const added: TextItem = {
      self_ref,
      parent: { $ref: parent.self_ref },
      children: [],
      content_layer: options.layer ?? 'body',
      meta: options.isRunOn ? { ...runOnMeta } : null,
      label,
      prov: options.prov ?? [],
      orig: options.orig ?? value,
      text: value,
      formatting: options.formatting ?? null,
      hyperlink: options.hyperlink ?? null,
    };
    if (extra) Object.assign(added, extra);
    document.texts.push(added);
    return added;
  }
  const createFloating = (options: Placement & { captions?: TextItem[] }) => ({
    prov: options.prov ?? [],
    captions: (options.captions ?? []).map(({ self_ref }) => ({ $ref: self_ref })),
    references: [],
    footnotes: [],
  });

  return {
    document,
    text: (label, value, options = {}) => addText(label, value, options),
    heading: (level, value, options = {}) =>
      addText('section_header', value, options, { level: Math.min(Math.max(level, 1), 100) }),
    listItem: (value, options) =>
      addText('list_item', value, options, { enumerated: options.enumerated ?? false, marker: options.marker ?? '-' }),
    code: (value, options = {}) =>
      addText('code', value, options, {
        captions: [],
        references: [],
        footnotes: [],
        image: null,
        code_language: options.language ?? 'unknown',
      }),
    group(label, options = {}) {
      const added: GroupItem = {
        ...createBase('groups', options),
        name: options.name ?? (label === 'list' ? 'list' : 'group'),
        label,
      };
      document.groups.push(added);
      return added;
    },
    table(data, options = {}) {
      const added: TableItem = {
        ...createBase('tables', options),
        label: options.label ?? 'table',
        ...createFloating(options),
        image: null,
        data,
        annotations: [],
      };
      document.tables.push(added);
      return added;
    },
    picture(options = {}) {
      const added: PictureItem = {
        ...createBase('pictures', options),
        label: options.label ?? 'picture',
        ...createFloating(options),
        image: options.image ?? null,
        annotations: [],
      };
      document.pictures.push(added);
      return added;
    },
    page(pageNo, width, height) {
      document.pages[String(pageNo)] = { size: { width, height }, page_no: pageNo };
    },
    caption(owner, value, options = {}) {
      const added = addText('caption', value, { ...options, parent: owner });
      owner.captions.push({ $ref: added.self_ref });
      return added;
    },
  };
}
