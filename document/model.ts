import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { literals } from '../model/literals';

const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
const Closed = { additionalProperties: false };

/** `{"$ref": "#/texts/3"}`: a reference between items. */
export const Ref = Type.Object({ $ref: Type.String({ pattern: '^#/' }) }, Closed);
export type Ref = Static<typeof Ref>;

const contentLayers = ['body', 'furniture', 'background', 'invisible', 'notes'] as const;
export const ContentLayer = literals(contentLayers);
export type ContentLayer = Static<typeof ContentLayer>;

/** A box in points; `t` is above `b` on the page with both origins. */
export const BoundingBox = Type.Object(
  {
    l: Type.Number(),
    t: Type.Number(),
    r: Type.Number(),
    b: Type.Number(),
    coord_origin: Type.Optional(
      Type.Union([Type.Literal('TOPLEFT'), Type.Literal('BOTTOMLEFT')], { default: 'TOPLEFT' }),
    ),
  },
  Closed,
);
export type BoundingBox = Static<typeof BoundingBox>;

/** The position of an item in the source: page from 1, box, and character range. */
export const Provenance = Type.Object(
  { page_no: Type.Integer(), bbox: BoundingBox, charspan: Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }) },
  Closed,
);
export type Provenance = Static<typeof Provenance>;

export const Formatting = Type.Object(
  {
    bold: Type.Boolean(),
    italic: Type.Boolean(),
    underline: Type.Boolean(),
    strikethrough: Type.Boolean(),
    script: Type.Union([Type.Literal('baseline'), Type.Literal('sub'), Type.Literal('super')]),
  },
  Closed,
);
export type Formatting = Static<typeof Formatting>;

export const ImageRef = Type.Object(
  {
    mimetype: Type.String(),
    dpi: Type.Integer(),
    size: Type.Object({ width: Type.Number(), height: Type.Number() }, Closed),
    uri: Type.String(),
  },
  Closed,
);
export type ImageRef = Static<typeof ImageRef>;

/**
 * One cell; the end offsets are exclusive. `ref` points to the item with the content of a rich cell. `value` is the raw value
 * of a spreadsheet cell whose text shows less: 0.062 for `6.2 %`, `2014-12-15 00:00:00` for `15-Dec-14`. `formula` is that of the
 * cell, such as `=B2*C2`, if it was asked for.
 */
export const TableCell = Type.Object(
  {
    bbox: Type.Optional(Nullable(BoundingBox)),
    row_span: Type.Integer({ minimum: 1, default: 1 }),
    col_span: Type.Integer({ minimum: 1, default: 1 }),
    start_row_offset_idx: Type.Integer({ minimum: 0 }),
    end_row_offset_idx: Type.Integer({ minimum: 0 }),
    start_col_offset_idx: Type.Integer({ minimum: 0 }),
    end_col_offset_idx: Type.Integer({ minimum: 0 }),
    text: Type.String(),
    column_header: Type.Boolean({ default: false }),
    row_header: Type.Boolean({ default: false }),
    row_section: Type.Boolean({ default: false }),
    fillable: Type.Boolean({ default: false }),
    value: Type.Optional(Type.Union([Type.Number(), Type.String(), Type.Boolean()])),
    formula: Type.Optional(Type.String()),
    ref: Type.Optional(Ref),
  },
  Closed,
);
export type TableCell = Static<typeof TableCell>;

/** The cells of a table. `grid` is computed on writing and ignored on reading. */
export const TableData = Type.Object(
  {
    table_cells: Type.Array(TableCell),
    num_rows: Type.Integer({ minimum: 0 }),
    num_cols: Type.Integer({ minimum: 0 }),
    orientation: Type.Optional(Type.String()),
    grid: Type.Optional(Type.Array(Type.Array(Type.Unknown()))),
  },
  Closed,
);
export type TableData = Static<typeof TableData>;

const Text = Type.Optional(Nullable(Type.Object({ text: Type.String() })));
const Words = Type.Optional(Nullable(Type.Object({ values: Type.Array(Type.String()) })));
const Class = Type.Object({ class_name: Type.String(), confidence: Type.Optional(Nullable(Type.Number())) });

/** Metadata of an item. Members that writers use are typed; all others are kept as they are. */
const Meta = Type.Object({
  summary: Text,
  keywords: Words,
  topics: Words,
  description: Text,
  classification: Type.Optional(Nullable(Type.Object({ predictions: Type.Array(Class) }))),
  molecule: Type.Optional(Nullable(Type.Object({ smi: Type.String() }))),
  tabular_chart: Type.Optional(Nullable(Type.Object({ chart_data: TableData }))),
  code: Text,
});
export type Meta = Static<typeof Meta>;

/** Metadata of tables and pictures in older versions. */
const Annotation = Type.Object({
  kind: Type.String(),
  text: Type.Optional(Type.String()),
  predicted_classes: Type.Optional(Type.Array(Class)),
  smi: Type.Optional(Type.String()),
  chart_data: Type.Optional(TableData),
});
export type Annotation = Static<typeof Annotation>;
const annotations = Type.Optional(Type.Array(Type.Unsafe<unknown>(Annotation)));

const node = {
  self_ref: Type.String({ pattern: '^#' }),
  parent: Type.Optional(Nullable(Ref)),
  children: Type.Array(Ref, { default: [] }),
  content_layer: literals(contentLayers, { default: 'body' }),
  meta: Type.Optional(Nullable(Type.Unsafe<Record<string, unknown>>(Meta))),
};
const item = {
  ...node,
  prov: Type.Array(Provenance, { default: [] }),
  source: Type.Optional(Type.Array(Type.Unknown())),
  comments: Type.Optional(Type.Array(Type.Unknown())),
};

const groupLabels = [
  'unspecified',
  'list',
  'ordered_list',
  'chapter',
  'section',
  'sheet',
  'slide',
  'form_area',
  'key_value_area',
  'comment_section',
  'inline',
  'picture_area',
] as const;
export const GroupItem = Type.Object(
  {
    ...node,
    name: Type.String({ default: 'group' }),
    label: literals(groupLabels),
  },
  Closed,
);
export type GroupItem = Static<typeof GroupItem>;

export const textLabels = [
  'caption',
  'checkbox_selected',
  'checkbox_unselected',
  'footnote',
  'page_footer',
  'page_header',
  'paragraph',
  'reference',
  'text',
  'empty_value',
  'field_key',
  'field_hint',
  'marker',
  'handwritten_text',
  'grading_scale',
  'title',
  'section_header',
  'list_item',
  'code',
  'formula',
  'field_heading',
  'field_value',
] as const;
export type TextLabel = (typeof textLabels)[number];
export const TextItem = Type.Object(
  {
    ...item,
    label: literals(textLabels),
    orig: Type.String(),
    text: Type.String(),
    formatting: Type.Optional(Nullable(Formatting)),
    hyperlink: Type.Optional(Nullable(Type.String())),
    /** Only for section_header and field_heading: 1 to 100. */
    level: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    /** Only for list_item. */
    enumerated: Type.Optional(Type.Boolean()),
    marker: Type.Optional(Type.String()),
    /** Only for code. */
    code_language: Type.Optional(Type.String()),
    captions: Type.Optional(Type.Array(Ref)),
    references: Type.Optional(Type.Array(Ref)),
    footnotes: Type.Optional(Type.Array(Ref)),
    image: Type.Optional(Nullable(ImageRef)),
    /** Only for field_value. */
    kind: Type.Optional(Type.Union([Type.Literal('read_only'), Type.Literal('fillable')])),
  },
  Closed,
);
export type TextItem = Static<typeof TextItem>;

const floating = {
  ...item,
  captions: Type.Array(Ref, { default: [] }),
  references: Type.Array(Ref, { default: [] }),
  footnotes: Type.Array(Ref, { default: [] }),
  image: Type.Optional(Nullable(ImageRef)),
};
export const TableItem = Type.Object(
  {
    ...floating,
    label: Type.Union([Type.Literal('table'), Type.Literal('document_index')]),
    data: TableData,
    annotations,
  },
  Closed,
);
export type TableItem = Static<typeof TableItem>;

export const PictureItem = Type.Object(
  {
    ...floating,
    label: Type.Union([Type.Literal('picture'), Type.Literal('chart')]),
    annotations,
  },
  Closed,
);
export type PictureItem = Static<typeof PictureItem>;

const GraphCell = Type.Object({
  label: Type.String(),
  cell_id: Type.Integer(),
  text: Type.String(),
  orig: Type.Optional(Type.String()),
});
export type GraphCell = Static<typeof GraphCell>;
/** `label` is the relation of the source to the target: `to_value`, `to_key`, `to_parent`, `to_child`. */
const GraphLink = Type.Object({
  label: Type.String(),
  source_cell_id: Type.Integer(),
  target_cell_id: Type.Integer(),
});
export type GraphLink = Static<typeof GraphLink>;
const graphData = Type.Object({ cells: Type.Array(GraphCell), links: Type.Array(GraphLink) }, Closed);
export const KeyValueItem = Type.Object(
  { ...floating, label: Type.Literal('key_value_region'), graph: graphData },
  Closed,
);
export type KeyValueItem = Static<typeof KeyValueItem>;
export const FormItem = Type.Object({ ...floating, label: Type.Literal('form'), graph: graphData }, Closed);
export type FormItem = Static<typeof FormItem>;

/** A region of fields, or one field whose key, value, hint and marker are its child texts. */
export const FieldItem = Type.Object(
  { ...floating, label: Type.Union([Type.Literal('field_region'), Type.Literal('field_item')]) },
  Closed,
);
export type FieldItem = Static<typeof FieldItem>;

export const PageItem = Type.Object(
  {
    size: Type.Object({ width: Type.Number(), height: Type.Number() }, Closed),
    image: Type.Optional(Nullable(ImageRef)),
    page_no: Type.Integer({ minimum: 1 }),
  },
  Closed,
);
export type PageItem = Static<typeof PageItem>;

/** `binary_hash` is an unsigned 64-bit number: the last 16 hexadecimal digits of the SHA-256, held as a bigint. */
export interface DocumentOrigin {
  mimetype: string;
  binary_hash: bigint;
  filename: string;
  uri?: string | null;
}

/** A converted document: flat arrays of items, and a tree of references to them in reading order under `body`. */
export interface DoclingDocument {
  schema_name: 'DoclingDocument';
  version: string;
  name: string;
  origin?: DocumentOrigin | null;
  furniture: GroupItem;
  body: GroupItem;
  groups: GroupItem[];
  texts: TextItem[];
  pictures: PictureItem[];
  tables: TableItem[];
  key_value_items: KeyValueItem[];
  form_items: FormItem[];
  field_regions?: FieldItem[];
  field_items?: FieldItem[];
  pages: Record<string, PageItem>;
}

/** Any item or group of the tree. */
export type NodeItem = GroupItem | TextItem | TableItem | PictureItem | KeyValueItem | FormItem | FieldItem;
