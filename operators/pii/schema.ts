import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition } from '../../model/flow/operator';
import { literals } from '../../model/literals';
import { type PiiKind, piiKinds } from './kinds';

const kinds = Object.keys(piiKinds) as PiiKind[];

export const config = Type.Object(
  {
    kinds: Type.Optional(
      Type.Array(literals(kinds), {
        minItems: 1,
        uniqueItems: true,
        default: kinds,
        description: `What to look for: ${kinds.map((kind) => `${kind} (${piiKinds[kind]})`).join('; ')}.`,
      }),
    ),
    action: Type.Optional(
      literals(['mask', 'replace', 'detect'], {
        default: 'mask',
        description:
          'mask: each character becomes masking_character; replace: each passage becomes its kind, such as [EMAIL]; detect: the text stays.',
      }),
    ),
    masking_character: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2, default: '*', description: 'For `mask`.' }),
    ),
    phone_region: Type.Optional(
      Type.String({
        pattern: '^[A-Z]{2}$',
        description:
          'Country code such as US or DE. National phone numbers of this country are recognized without a label.',
      }),
    ),
    with_positions: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Add the column `pii_positions`: kind, start and end of each match, without its text.',
      }),
    ),
    doc_column: Type.Optional(Type.String({ minLength: 1, default: 'content', description: 'Column to search.' })),
  },
  { additionalProperties: true },
);
export type PiiConfig = Static<typeof config>;

export const pii = {
  name: 'pii',
  label: 'Personal data',
  category: 'Quality',
  scope: 'row',
  queue: 'cpu',
  needs: [],
  reads: ['content'],
  writes: ['pii_kinds', 'pii_total', 'pii_counts'],
  named: { reads: ['doc_column'] },
  columns: {
    pii_kinds: {
      type: 'list',
      description: 'Kinds of personal data found in the text, in alphabetical order.',
      indexed: true,
    },
    pii_total: { type: 'int64', description: 'Number of matches.', indexed: true },
    pii_counts: { type: 'json', description: 'Number of matches by kind.', indexed: false },
    pii_positions: {
      type: 'json',
      description: 'Kind, start and end of each match in the input text, in UTF-16 code units.',
      indexed: false,
    },
  },
  masksText: true,
  withholdsText: true,
  config,
  summary: 'Finds and masks personal data by rules: e-mail addresses, phone, account, card and identity numbers.',
} as const satisfies OperatorDefinition;
