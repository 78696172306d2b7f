import { Type } from '@sinclair/typebox';
import {
  type DoclingDocument,
  FieldItem,
  FormItem,
  GroupItem,
  KeyValueItem,
  PageItem,
  PictureItem,
  TableItem,
  TextItem,
} from './model';
import { documentVersion } from './version';

const Nullable = (schema: ReturnType<typeof Type.Object>) => Type.Union([schema, Type.Null()]);

const Origin = Type.Object(
  {
    mimetype: Type.String(),
    binary_hash: Type.Integer({
      minimum: 0,
      description: 'Unsigned 64-bit: the last 16 hexadecimal digits of the SHA-256.',
    }),
    filename: Type.String(),
    uri: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { additionalProperties: false },
);

/** The JSON form of a document, for validation and for OpenAPI. `binary_hash` is a number there. */
export const DoclingDocumentSchema = Type.Unsafe<DoclingDocument>(
  Type.Object(
    {
      schema_name: Type.Literal('DoclingDocument', { default: 'DoclingDocument' }),
      version: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+', default: documentVersion }),
      name: Type.String(),
      origin: Type.Optional(Nullable(Origin)),
      furniture: Type.Optional(GroupItem),
      body: Type.Optional(GroupItem),
      groups: Type.Array(GroupItem, { default: [] }),
      texts: Type.Array(TextItem, { default: [] }),
      pictures: Type.Array(PictureItem, { default: [] }),
      tables: Type.Array(TableItem, { default: [] }),
      key_value_items: Type.Array(KeyValueItem, { default: [] }),
      form_items: Type.Array(FormItem, { default: [] }),
      field_regions: Type.Optional(Type.Array(FieldItem)),
      field_items: Type.Optional(Type.Array(FieldItem)),
      pages: Type.Record(Type.String({ pattern: '^[0-9]+$' }), PageItem, { default: {}, additionalProperties: false }),
    },
    { $id: 'DoclingDocument', additionalProperties: false },
  ),
);
