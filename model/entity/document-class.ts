import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { literals } from '../literals';

const name = Type.String({ pattern: '^[a-z][a-z0-9]*(_[a-z0-9]+)*$', maxLength: 64 });
const text = Type.String({ minLength: 1, maxLength: 500 });
const path = Type.Array(name, { minItems: 1, maxItems: 2, description: 'Names of fields, the outermost first.' });

const members = {
  name,
  description: text,
  examples: Type.Array(text, { maxItems: 10, description: 'Invented values, written as in documents.' }),
  extraction_instructions: Type.Optional(text),
  available_options: Type.Optional(Type.Array(text, { minItems: 2, description: 'The allowed values.' })),
};
const nested = Type.Array(Type.Object(members, { additionalProperties: false }), {
  minItems: 1,
  description: 'The fields of one entry.',
});
const field = Type.Object({ ...members, fields: Type.Optional(nested) }, { additionalProperties: false });

const source = Type.Union([
  Type.Object({ field: path }, { additionalProperties: false }),
  Type.Object(
    {
      transform: Type.Object(
        {
          transform_name: Type.Union(
            (['currency_to_numeric', 'make_date_uniform', 'to_number', 'weight_to_numeric'] as const).map((item) =>
              Type.Literal(item),
            ),
          ),
          arguments: Type.Array(
            Type.Object(
              {
                name: Type.String(),
                value: Type.Union([
                  Type.Object({ field: path }, { additionalProperties: false }),
                  Type.String(),
                  Type.Number(),
                ]),
              },
              { additionalProperties: false },
            ),
            { minItems: 1 },
          ),
        },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false },
  ),
]);

/** Column types of target tables. */
export const columnTypes = ['string', 'date', 'decimal', 'float', 'long', 'int', 'boolean'] as const;

/** A table that stores extracted facts, with its columns. */
export const TargetTable = Type.Object(
  {
    name,
    columns: Type.Array(
      Type.Object({ name, type: literals(columnTypes), description: text, source }, { additionalProperties: false }),
      { minItems: 1 },
    ),
  },
  { additionalProperties: false },
);

export type TargetTable = Static<typeof TargetTable>;

/** A class of documents: the fields to extract and the tables that store them. Fields can be nested one level deep. */
export const DocumentClass = closedObject('DocumentClass', {
  document_type: name,
  document_description: text,
  fields: Type.Array(field, { minItems: 1 }),
  target_tables: Type.Array(TargetTable, { minItems: 1 }),
});
export type DocumentClass = Static<typeof DocumentClass>;

/** All document classes, keyed by document_type. */
export const DocumentClasses = Type.Array(DocumentClass, { $id: 'DocumentClasses' });
