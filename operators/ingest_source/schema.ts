import { Type } from '@sinclair/typebox';
import { readFilesystemSettings } from '../../model/source/filesystem-source';
import { globProblem } from '../../model/glob';
import { readLibrarySettings } from '../../model/source/library-source';
import { readHttpSettings, readS3Settings, sourceProviderOf, sourceProviders } from '../../model/source/remote-source';
import type { OperatorDefinition, OperatorProblem } from '../../model/flow/operator';

const providers = Object.keys(sourceProviders);

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
  recursive: Type.Optional(Type.Boolean({ description: 'Include sub-folders; default true.' })),
  ignore_hidden_files: Type.Optional(
    Type.Boolean({
      description:
        'Skip names that begin with a dot; default true. Hidden files also need DOCLOOM_HIDDEN_FILES on the worker and a run for administrators.',
    }),
  ),
  max_file_size_mb: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, description: 'Larger files become failed documents.' }),
  ),
  include_filter: Type.Optional(Patterns('Extensions (`pdf,txt`) or globs; only these files are taken.')),
  exclude_filter: Type.Optional(Patterns('Extensions or globs; these files and folders are left out.')),
  exclude_patterns: Type.Optional(Patterns('Further globs to leave out.')),
  allowed_users: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
      description:
        'Users who may read the documents, unless an `.acl.json` beside the files defines it. Only for runs that may ingest for everybody.',
    }),
  ),
};

const Text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 4_000, description }));
const Addresses = (description: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.String({ minLength: 1, maxLength: 4_000 }),
        Type.Array(Type.String({ minLength: 1, maxLength: 4_000 }), { minItems: 1, maxItems: 100_000 }),
      ],
      { description },
    ),
  );

const Secret = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 4_000, secret: true, description }));

const keys = {
  access_key: Secret('s3: the key id. Use a reference such as `${DOCLOOM_SECRET_S3_ACCESS_KEY}`.'),
  secret_key: Secret('s3: the secret key. Use a reference such as `${DOCLOOM_SECRET_S3_SECRET_KEY}`.'),
  access_key_id: Secret('Alias of access_key.'),
  aws_access_key_id: Secret('Alias of access_key.'),
  secret_access_key: Secret('Alias of secret_key.'),
  aws_secret_access_key: Secret('Alias of secret_key.'),
};
const s3 = {
  bucket: Text('s3: the bucket.'),
  prefix: Type.Optional(
    Type.String({ maxLength: 1_024, description: 's3: only objects whose keys have this prefix.' }),
  ),
  endpoint_url: Text('s3: the address of the server; Amazon’s own of the region when absent.'),
  region: Text('s3: the region, default us-east-1.'),
  skip_empty_files: Type.Optional(Type.Boolean({ description: 's3: skip empty objects; default true.' })),
  skip_hidden_files: Type.Optional(Type.Boolean({ description: 'Alias of ignore_hidden_files.' })),
  ...keys,
};
const http = {
  urls: Addresses('http: addresses of pages and files.'),
  url: Addresses('http: another name of urls.'),
  sitemaps: Addresses(
    'http: addresses of sitemaps (XML, also packed, also of further sitemaps; or a text with one address a line).',
  ),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      secret: true,
      description: 'http: headers of every request to the host that the flow names; use references for tokens.',
    }),
  ),
  respect_robots: Type.Optional(
    Type.Boolean({
      description:
        'http: leave out pages of sitemaps that the robots.txt of their site keeps from robots; default true. Addresses in urls are taken as they are.',
    }),
  ),
  timeout: Type.Optional(
    Type.Number({ minimum: 1, maximum: 300, description: 'http: timeout in seconds per page; default 30.' }),
  ),
};
const library = {
  library_id: Text('library: the document library whose files are taken. Its owner and its readers may read them.'),
};
const places = { ...filesystem, ...s3, ...http, ...library };

export const config = Type.Object(
  {
    provider: Type.Optional(
      Type.String({ default: 'filesystem', description: `Where the documents are: ${providers.join(', ')}.` }),
    ),
    connection_params: Type.Optional(
      Type.Object(places, { additionalProperties: true, description: 'Which documents to ingest.' }),
    ),
    provider_config: Type.Optional(
      Type.Object(places, { additionalProperties: true, description: 'The same as `connection_params`.' }),
    ),
    credentials: Type.Optional(
      Type.Object(keys, {
        additionalProperties: true,
        description: 's3: the keys, separate from the other parameters.',
      }),
    ),
    ...places,
    max_files: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Maximum number of documents; no limit by default.' }),
    ),
    force_ingest: Type.Optional(Type.Boolean({ description: 'Ingest all documents again.' })),
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
    'source_version',
    'acl_hash',
    'allowed_users',
    'metadata',
  ],
  config,
  summary: 'Lists documents and passes on those that are new or have changed since the last run of the job.',
  validate,
} as const satisfies OperatorDefinition;

function validate(given: Record<string, unknown>): OperatorProblem[] {
  return [...sourceProblems(given), ...patternProblems(given)];
}

/** Finds invalid name patterns. */
function patternProblems(given: Record<string, unknown>): OperatorProblem[] {
  const places = {
    '/connection_params': given['connection_params'],
    '/provider_config': given['provider_config'],
    '': given,
  };
  return Object.entries(places).flatMap(([place, settings]) =>
    ['include_filter', 'exclude_filter', 'exclude_patterns'].flatMap((member) => {
      const value = (settings as Record<string, unknown> | undefined)?.[member];
      const { include, exclude } = readFilesystemSettings({ [member]: value });
      return [...include, ...exclude].flatMap((pattern) => {
        const reason = globProblem(pattern);
        if (reason === undefined) return [];
        return [problem(`${place}/${member}`, `The pattern '${pattern.slice(0, 200)}' cannot be used: ${reason}.`)];
      });
    }),
  );
}

function sourceProblems(given: Record<string, unknown>): OperatorProblem[] {
  const provider = sourceProviderOf(given);
  if (!provider) {
    return [
      problem(
        '/provider',
        `The provider ${JSON.stringify(given['provider'])} is not known; expected one of ${providers.join(', ')}.`,
      ),
    ];
  }
  if (provider === 's3') return bucketProblems(given);
  if (provider === 'http') return addressProblems(given);
  if (provider === 'library') return libraryProblems(given);
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

function bucketProblems(given: Record<string, unknown>): OperatorProblem[] {
  const { bucket, endpoint, accessKey, secretKey } = readS3Settings(given);
  const problems: OperatorProblem[] = [];
  if (bucket === '')
    problems.push(problem('/connection_params/bucket', 'No bucket is named; expected `connection_params.bucket`.'));
  if (endpoint !== undefined && !isAddress(endpoint))
    problems.push(
      problem('/connection_params/endpoint_url', `endpoint_url is '${endpoint}'; expected an http or https address.`),
    );
  if ((accessKey === undefined) !== (secretKey === undefined))
    problems.push(problem('/credentials', 'One of access_key and secret_key is missing; expected both, or none.'));
  return problems;
}

function addressProblems(given: Record<string, unknown>): OperatorProblem[] {
  const { urls, sitemaps } = readHttpSettings(given);
  if (urls.length + sitemaps.length === 0)
    return [
      problem(
        '/connection_params/urls',
        'No address is given; expected `connection_params.urls` or `connection_params.sitemaps`.',
      ),
    ];
  const odd = (place: 'urls' | 'sitemaps', addresses: readonly string[]) =>
    addresses
      .filter((url) => !isAddress(url))
      .map((url) => problem(`/connection_params/${place}`, `'${url}' is no http or https address.`));
  return [...odd('urls', urls), ...odd('sitemaps', sitemaps)];
}

function libraryProblems(given: Record<string, unknown>): OperatorProblem[] {
  const { libraryId } = readLibrarySettings(given);
  if (libraryId !== '') return [];
  return [problem('/connection_params/library_id', 'No library is named; expected `connection_params.library_id`.')];
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function problem(pointer: string, message: string): OperatorProblem {
  return { severity: 'error', messageCode: 'OPERATOR_VALIDATION_FAILED', message, pointer };
}
