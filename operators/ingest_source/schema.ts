import { Type } from '@sinclair/typebox';
import { readFilesystemSettings } from '../../model/filesystem-source';
import type { OperatorDefinition, OperatorProblem } from '../../model/operator';

const providers = ['filesystem'] as const;

const Patterns = (description: string) =>
  Type.Union(
    [
      Type.String({ maxLength: 10_000 }),
      Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), { maxItems: 1000 }),
    ],
    { description },
  );
const Paths = Type.Union(
  [Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 1000 })],
  {
    description: 'Files and folders, one or a list. They must lie inside the folders that the worker allows.',
  },
);

const filesystem = {
  paths: Type.Optional(Paths),
  root_path: Type.Optional(Paths),
  recursive: Type.Optional(Type.Boolean({ description: 'Look into folders of folders; default true.' })),
  ignore_hidden_files: Type.Optional(
    Type.Boolean({ description: 'Pass over names that begin with a dot; default true.' }),
  ),
  max_file_size_mb: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, description: 'A larger file is a failed document.' }),
  ),
  include_filter: Type.Optional(Patterns('Extensions (`pdf,txt`) or globs; only these files are taken.')),
  exclude_filter: Type.Optional(Patterns('Extensions or globs; these files and folders are left out.')),
  exclude_patterns: Type.Optional(Patterns('Further globs to leave out.')),
  allowed_users: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
      description: 'Who may read the documents, where no `.acl.json` beside the files says so.',
    }),
  ),
};

export const config = Type.Object(
  {
    provider: Type.Optional(
      Type.String({ default: 'filesystem', description: `Where the documents are: ${providers.join(', ')}.` }),
    ),
    connection_params: Type.Optional(
      Type.Object(filesystem, { additionalProperties: false, description: 'Which files to take.' }),
    ),
    provider_config: Type.Optional(
      Type.Object(filesystem, { additionalProperties: false, description: 'The same as `connection_params`.' }),
    ),
    ...filesystem,
    max_files: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Take no more than this many documents; no limit by default.' }),
    ),
    force_ingest: Type.Optional(Type.Boolean({ description: 'Take documents again that were ingested before.' })),
  },
  { additionalProperties: false },
);

export const ingestSource = {
  name: 'ingest_source',
  label: 'Ingest source',
  category: 'Ingest',
  scope: 'source',
  queue: 'io',
  needs: ['sources', 'ledger', 'search', 'documentSets'],
  reads: [],
  writes: [
    'id',
    'name',
    'path',
    'source',
    'mimetype',
    'size',
    'modified_time',
    'content_hash',
    'acl_hash',
    'allowed_users',
    'metadata',
  ],
  config,
  summary: 'Lists documents and hands on those that are new or changed since the last run of the job.',
  validate,
} as const satisfies OperatorDefinition;

function validate(given: Record<string, unknown>): OperatorProblem[] {
  const provider = given['provider'] ?? 'filesystem';
  if (!providers.some((known) => known === provider)) {
    return [
      problem(
        '/provider',
        `The provider ${JSON.stringify(provider)} is not known; expected one of ${providers.join(', ')}.`,
      ),
    ];
  }
  const { paths } = readFilesystemSettings(given);
  if (paths.length === 0)
    return [
      problem(
        '/connection_params/paths',
        'No path is given; expected `connection_params.paths` with at least one file or folder.',
      ),
    ];
  const odd = paths.find((path) => path.includes('\0'));
  return odd === undefined
    ? []
    : [problem('/connection_params/paths', `The path ${JSON.stringify(odd)} holds a NUL character.`)];
}

function problem(pointer: string, message: string): OperatorProblem {
  return { severity: 'error', messageCode: 'OPERATOR_VALIDATION_FAILED', message, pointer };
}
