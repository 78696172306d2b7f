import { type TSchema, Type } from '@sinclair/typebox';
import type { OperatorProblem } from '../../model/flow/operator';
import { originColumns } from '../../model/flow/row';
import { findGlobProblem } from '../../model/glob';
import { freshnessSettings } from '../../model/source/access-freshness';
import { commonSettings } from '../../model/source/common-settings';
import { readFilesystemSettings } from '../../model/source/filesystem-source';
import { createSourceProblem } from '../../model/source/kind';
import { findSourceKind, sourceKinds, sourceNames } from '../../model/source/list';
import { MemberSettings } from '../../model/source/member-settings';
import { defaultRemovedPercent } from '../../model/source/removal';
import type { DeclaredOperator } from '../operator';
import { inspection } from './inspect';

// Forms show the settings in this order.
const places = { ...sourceKinds[0]?.settings, ...commonSettings, ...getSettings('settings') };
const credentials = getSettings('credentials');

/** The settings of all sources in one list; each source reads its own. */
function getSettings(member: 'settings' | 'credentials'): Record<string, TSchema> {
  return Object.assign({}, ...sourceKinds.map((kind) => kind[member])) as Record<string, TSchema>;
}

export const config = Type.Object(
  {
    provider: Type.Optional(
      Type.String({
        default: 'filesystem',
        examples: [...sourceNames],
        description: `Where the documents are: ${sourceNames.join(', ')}.`,
      }),
    ),
    connection_params: Type.Optional(
      Type.Object(places, { additionalProperties: true, description: 'Which documents to ingest.' }),
    ),
    provider_config: Type.Optional(
      Type.Object(places, { additionalProperties: true, description: 'The same as `connection_params`.' }),
    ),
    credentials: Type.Optional(
      Type.Object(credentials, {
        additionalProperties: true,
        description: 'User names, passwords and keys. Use references to connections.',
      }),
    ),
    ...places,
    max_files: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Maximum number of files of the source, not counting files within other files. No limit by default.',
      }),
    ),
    max_removed_percent: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: defaultRemovedPercent,
        description:
          'If a listing lacks more than this share of the earlier documents, and more than 20 of them, nothing is removed and the run warns. If the source is empty, only a run with the parameter confirm_empty_source removes documents.',
      }),
    ),
    ...freshnessSettings,
    force_ingest: Type.Optional(Type.Boolean({ description: 'Ingest all documents again.' })),
    include_exports: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Also ingest files that other flows exported into the bucket. Files that this flow exported are always left out.',
      }),
    ),
    members: Type.Optional(MemberSettings),
  },
  { additionalProperties: false },
);

export const ingestSource = {
  name: 'ingest_source',
  label: 'Ingest source',
  category: 'Ingest',
  scope: 'source',
  queue: 'io',
  needs: ['sources', 'exportedFiles', 'ledger', 'search', 'documentSets', 'members'],
  reads: [],
  writes: [
    ...originColumns,
    'source_version',
    'acl_hash',
    'allowed_users',
    'parent_id',
    'member_path',
    'member_count',
    'metadata',
  ],
  config,
  summary: 'Lists documents and passes on those that are new or have changed since the last run of the job.',
  validate,
  inspection,
} as const satisfies DeclaredOperator;

function validate(input: Record<string, unknown>): OperatorProblem[] {
  return [...listSourceProblems(input), ...listPatternProblems(input)];
}

/** Finds invalid name patterns. */
function listPatternProblems(input: Record<string, unknown>): OperatorProblem[] {
  const places = {
    '/connection_params': input['connection_params'],
    '/provider_config': input['provider_config'],
    '': input,
  };
  return Object.entries(places).flatMap(([place, settings]) =>
    ['include_filter', 'exclude_filter', 'exclude_patterns'].flatMap((member) => {
      const value = (settings as Record<string, unknown> | undefined)?.[member];
      const { include, exclude } = readFilesystemSettings({ [member]: value });
      return [...include, ...exclude].flatMap((pattern) => {
        const reason = findGlobProblem(pattern);
        if (reason === undefined) return [];
        return [
          createSourceProblem(
            `${place}/${member}`,
            `The pattern '${pattern.slice(0, 200)}' cannot be used: ${reason}.`,
          ),
        ];
      });
    }),
  );
}

function listSourceProblems(input: Record<string, unknown>): OperatorProblem[] {
  const kind = findSourceKind(input);
  if (kind) return kind.problems(input);
  return [
    createSourceProblem(
      '/provider',
      `The provider ${JSON.stringify(input['provider'])} is not known; expected one of ${sourceNames.join(', ')}.`,
    ),
  ];
}
