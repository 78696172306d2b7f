import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition } from '../../model/flow/operator';
import { literals } from '../../model/literals';

const providers = ['tinyld', 'fasttext', 'langdetect'] as const;

export const config = Type.Object(
  {
    language_provider: Type.Optional(
      literals(providers, {
        default: 'tinyld',
        description: '`tinyld` is the built-in detector. The other names are aliases for flows of other systems.',
      }),
    ),
    doc_column: Type.Optional(
      Type.String({ minLength: 1, default: 'content', description: 'The column whose language is detected.' }),
    ),
    filter_unknown_language: Type.Optional(
      Type.Boolean({ default: false, description: 'Drop rows whose language cannot be detected.' }),
    ),
  },
  { additionalProperties: true },
);
export type LangDetectConfig = Static<typeof config>;

export const langDetect = {
  name: 'lang_detect',
  label: 'Language detection',
  category: 'Quality',
  scope: 'row',
  queue: 'cpu',
  needs: [],
  reads: ['content'],
  writes: ['lang_name', 'lang_score'],
  named: { reads: ['doc_column'] },
  columns: {
    lang_name: { type: 'string', description: 'The language as an ISO 639-1 code, or UNKNOWN.', indexed: true },
    lang_score: {
      type: 'double',
      description: 'From 0.5 (another language fits equally well) to 1 (no other is close); 0 if unknown.',
      indexed: true,
    },
  },
  config,
  summary: 'Detects the language of each text.',
} as const satisfies OperatorDefinition;
