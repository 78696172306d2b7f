import { type Static, Type } from '@sinclair/typebox';
import { uuidPattern } from '../uuid';

const template = Type.Object({}, { description: 'In the form of classes and fields, see docs/graph.md.' });

/** A template that ships with the product. */
export const GraphTemplates = Type.Object(
  {
    templates: Type.Array(
      Type.Object({
        document_type: Type.String({ description: 'The document class, as `document_classifier` names it.' }),
        description: Type.String(),
        template,
      }),
      { description: 'In order of document_type.' },
    ),
  },
  { $id: 'GraphTemplates' },
);
export type GraphTemplates = Static<typeof GraphTemplates>;

/** Request body: documents of one kind from which a template is drafted. */
export const GraphTemplateRequest = Type.Object(
  {
    document_ids: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 512 }), {
        minItems: 1,
        maxItems: 10,
        uniqueItems: true,
        description: 'Documents of the index, or of the document set.',
      }),
    ),
    document_set_id: Type.Optional(
      Type.String({
        pattern: uuidPattern,
        description: 'The document set that contains them. Without `document_ids`, its first documents are used.',
      }),
    ),
    text: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200_000, description: 'Instead: one sample as Markdown.' }),
    ),
    root: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Name of the root class. Default: the common words of the names of the documents.',
      }),
    ),
    use_model: Type.Optional(
      Type.Boolean({
        description:
          'Whether the model that the operator configured improves the draft; it receives the beginning of up to five documents. Default: if there is one, and the draft of the rules if it fails. With `true`, a missing or failing model is an error.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'GraphTemplateRequest' },
);
export type GraphTemplateRequest = Static<typeof GraphTemplateRequest>;

/** A drafted template. */
export const GraphTemplateDraft = Type.Object(
  {
    root: Type.String(),
    samples: Type.Array(Type.String(), { description: 'Names of the documents that were read.' }),
    template,
    markdown: Type.String({ description: 'A description of what was recognized.' }),
    model: Type.Union(
      [
        Type.Object({
          improved: Type.Boolean({ description: 'False if the model failed; the draft is that of the rules.' }),
          usage: Type.Object({
            requests: Type.Integer(),
            input_tokens: Type.Integer(),
            output_tokens: Type.Integer(),
            cost: Type.Number(),
          }),
          error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
        }),
        Type.Null(),
      ],
      { description: 'What the model did; null if none was asked.' },
    ),
  },
  { $id: 'GraphTemplateDraft' },
);
export type GraphTemplateDraft = Static<typeof GraphTemplateDraft>;
