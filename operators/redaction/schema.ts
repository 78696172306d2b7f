import { type Static, Type } from '@sinclair/typebox';
import { RE2JS, RE2JSException } from 're2js';
import type { OperatorDefinition, OperatorProblem } from '../../model/flow/operator';
import { createProblem } from '../problem';

const Pattern = Type.String({ minLength: 1, maxLength: 10_000 });

export const config = Type.Object(
  {
    redaction_regex: Type.Union([Pattern, Type.Array(Pattern, { minItems: 1, maxItems: 1_000 })], {
      description:
        'What to mask: a pattern in RE2 syntax, or a list. A leading `(?i)` makes a pattern case-insensitive.',
    }),
    redaction_masking_character: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2,
        default: '*',
        description: 'The character that replaces each masked character.',
      }),
    ),
    doc_column: Type.Optional(
      Type.String({ minLength: 1, default: 'content', description: 'The column that is masked.' }),
    ),
    stats_column: Type.Optional(
      Type.String({
        minLength: 1,
        default: 'redaction_stats',
        description: 'The column for the number of masked passages.',
      }),
    ),
    timeout: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 3_600,
        default: 60,
        description: 'Timeout in seconds per document; slower documents fail.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type RedactionConfig = Static<typeof config>;

export const redaction = {
  name: 'redaction',
  label: 'Redaction',
  category: 'Quality',
  scope: 'row',
  queue: 'cpu',
  needs: [],
  reads: ['content'],
  writes: ['redaction_stats'],
  masksText: true,
  withholdsText: true,
  named: { reads: ['doc_column'], writes: ['stats_column'] },
  columns: {
    redaction_stats: { type: 'int64', description: 'Number of masked passages.', indexed: false },
  },
  config,
  summary: 'Masks what the patterns match.',
  validate,
} as const satisfies OperatorDefinition;

function validate(input: Record<string, unknown>): OperatorProblem[] {
  const isList = Array.isArray(input['redaction_regex']);
  const problems = listPatterns(input['redaction_regex']).flatMap((pattern, index) => {
    const reason = findPatternProblem(pattern);
    if (reason === undefined) return [];
    const message = `The pattern ${JSON.stringify(pattern.slice(0, 200))} is not valid in RE2 syntax: ${reason}.`;
    return [createProblem(message, isList ? `/redaction_regex/${index}` : '/redaction_regex')];
  });
  const mask = input['redaction_masking_character'];
  if (typeof mask === 'string' && Array.from(mask).length !== 1) {
    const message = `redaction_masking_character is ${JSON.stringify(mask)}; expected one character.`;
    problems.push(createProblem(message, '/redaction_masking_character'));
  }
  return problems;
}

/** The patterns of a configuration, always as a list. */
export function listPatterns(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((pattern) => typeof pattern === 'string');
}

function findPatternProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof RE2JSException) return error.message;
    throw error;
  }
}
