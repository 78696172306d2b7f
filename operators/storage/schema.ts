import { type Static, Type } from '@sinclair/typebox';
import type { ConnectionType } from '../../model/connection/connection';
import type { OperatorProblem } from '../../model/flow/operator';
import { literals } from '../../model/literals';
import { findAzureProblems, readAzureContainer } from '../../model/source/azure-container';
import { findGoogleProblems, readGoogleSettings } from '../../model/source/google-bucket';
import { isPlainKey } from '../../model/source/plain-key';
import { readS3Settings } from '../../model/source/remote-source';
import type { ExportTarget, FileTarget } from '../../services/export/place';
import type { DeclaredOperator } from '../operator';
import { createProblem } from '../problem';
import { elasticsearchParams, findElasticsearchProblems, getElasticsearchTarget } from './elasticsearch';
import { documentFormats, rowFormats } from './formats';
import { inspection } from './inspect';
import { defaultTemplate, placeholders, findTemplateProblem } from './names';

const destinations = ['folder', 's3', 'azure', 'gcs', 'elasticsearch'] as const;
const formats = [...Object.keys(documentFormats), ...Object.keys(rowFormats)];
const defineText = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 1_024, description }));
const defineSecret = (description: string) => Type.Optional(Type.String({ secret: true, minLength: 1, description }));

const ConnectionParams = Type.Object(
  {
    bucket: defineText('s3, gcs: the bucket, which must exist.'),
    prefix: Type.Optional(
      Type.String({ maxLength: 500, description: 's3, azure, gcs: prefix of all names, such as `export/`.' }),
    ),
    endpoint_url: defineText(
      's3, gcs: the address of the server; Amazon’s own of the region, or Google’s own, when absent. elasticsearch: the address, such as `https://search.example.org:9200`.',
    ),
    region: defineText('s3: the region, default us-east-1.'),
    access_key: defineSecret('s3: the key id, as a reference such as `${connection:NAME.access_key}`.'),
    secret_key: defineSecret('s3: the secret key, as a reference such as `${connection:NAME.secret_key}`.'),
    container_url: defineText(
      'azure: the address of the container, which must exist, such as `https://ACCOUNT.blob.core.windows.net/CONTAINER`.',
    ),
    account_name: defineText('azure: the storage account, where the address does not begin with its name.'),
    account_key: defineSecret('azure: a key of the storage account, as a reference such as `${connection:NAME}`.'),
    sas_token: defineSecret(
      'azure: a shared access signature with the permissions `r`, `c`, `w` and `d`, as a reference such as `${connection:NAME}`.',
    ),
    service_account_key: defineSecret(
      'gcs: the key file of a service account, the whole JSON as one text, as a reference such as `${connection:NAME}`.',
    ),
    ...elasticsearchParams,
  },
  { additionalProperties: true },
);

export const config = Type.Object(
  {
    destination: literals(destinations, {
      description:
        'folder: a folder on the worker, below one of DOCLOOM_EXPORT_ROOTS; s3: a bucket of any S3 server; azure: a container of Azure Blob Storage; gcs: a bucket of Google Cloud Storage; elasticsearch: an index of Elasticsearch, with one record for each row.',
    }),
    path: defineText('folder: an absolute path. It is created when it is missing.'),
    connection_params: Type.Optional(ConnectionParams),
    formats: Type.Optional(
      Type.Array(literals(formats), {
        minItems: 1,
        maxItems: formats.length,
        uniqueItems: true,
        description:
          'Needed, except for elasticsearch: what to write for each document. md, html and json are the converted document; parquet, jsonl and csv are its rows.',
      }),
    ),
    name_template: Type.Optional(
      Type.String({
        minLength: 6,
        maxLength: 500,
        default: defaultTemplate,
        description: `The name of each file. Placeholders: ${Object.entries(placeholders)
          .map(([name, meaning]) => `{${name}} ${meaning}`)
          .join('; ')}; {metadata.NAME} a member of metadata.`,
      }),
    ),
    columns: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        minItems: 1,
        maxItems: 500,
        description:
          'Columns of parquet, jsonl and csv. Default: all, without access lists and references to stored files.',
      }),
    ),
    audience: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        minItems: 1,
        maxItems: 100,
        description:
          'Who can read the destination: user names, groups as `g:SOURCE:ID`, `p:*` for everybody. Only documents that all of them may read are exported.',
      }),
    ),
    embeddings_column: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'elasticsearch: the column with the vectors, default `embeddings`. Rows without a vector are written without one.',
      }),
    ),
    writers: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        description:
          'elasticsearch: users whose runs may also write into the index. Counts in runs of the owner of the index; without it, the grants stay as they are.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type StorageConfig = Static<typeof config>;

/** The destination of a configuration, with secrets resolved. */
export function getExportTarget(input: Record<string, unknown>): ExportTarget {
  return input['destination'] === 'elasticsearch' ? getElasticsearchTarget(input) : getFileTarget(input);
}

/** The destination of files. */
export function getFileTarget(input: Record<string, unknown>): FileTarget {
  if (input['destination'] === 'folder') return { kind: 'folder', path: String(input['path']) };
  if (input['destination'] === 'azure') return toAzureTarget(input);
  if (input['destination'] === 'gcs') return toGoogleTarget(input);
  const { bucket, prefix, endpoint, region, accessKey = '', secretKey = '' } = readS3Settings(input);
  return {
    kind: 's3',
    bucket,
    prefix: toFolder(prefix),
    region,
    accessKey,
    secretKey,
    ...(endpoint === undefined ? {} : { endpoint }),
  };
}

function toAzureTarget(input: Record<string, unknown>): FileTarget {
  const { prefix } = readGoogleSettings(input);
  return { kind: 'azure', container: readAzureContainer(addCredentials(input)), prefix: toFolder(prefix) };
}

function toGoogleTarget(input: Record<string, unknown>): FileTarget {
  const { bucket, prefix, endpoint, keyText = '' } = readGoogleSettings(addCredentials(input));
  return { kind: 'gcs', bucket, prefix: toFolder(prefix), keyText, ...(endpoint === undefined ? {} : { endpoint }) };
}

function toFolder(prefix: string): string {
  return prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
}

/** The type of connection whose secrets the destination accepts, and where they go when no address is named. */
function listSecretTypes(destination: unknown): { types: ConnectionType[]; usualAddress?: string } {
  if (destination === 'azure') return { types: ['azure'] };
  if (destination === 'elasticsearch') return { types: ['elasticsearch'] };
  if (destination === 'gcs') return { types: ['gcs'], usualAddress: 'https://storage.googleapis.com' };
  return { types: ['s3'], usualAddress: 'https://s3.amazonaws.com' };
}

export const storage = {
  name: 'storage',
  label: 'Export',
  category: 'Storage',
  scope: 'row',
  stores: true,
  queue: 'io',
  needs: ['exports', 'files'],
  reads: ['content'],
  writes: [],
  config,
  secrets: ({ destination }) => listSecretTypes(destination),
  summary:
    'Writes converted documents and rows to a folder, a bucket or a container, one file for each document and format, or rows to an index of Elasticsearch.',
  validate,
  exportsTo: getExportTarget,
  inspection,
} as const satisfies DeclaredOperator;

function validate(input: Record<string, unknown>, columns: ReadonlySet<string>): OperatorProblem[] {
  const problems: OperatorProblem[] = [];
  const addProblem = (message: string, pointer: string) => problems.push(createProblem(message, pointer));
  const { destination, path, formats, name_template: template } = input;
  if (destination === 'elasticsearch') return findElasticsearchProblems(input);
  if (!Array.isArray(formats)) addProblem('formats is missing; expected what to write, such as ["md"].', '/formats');
  if (destination === 'folder' && (typeof path !== 'string' || !/^(\/|[A-Za-z]:[\\/])/.test(path)))
    addProblem('path is missing or not absolute; expected a folder on the worker, such as /srv/export.', '/path');
  if (destination === 's3') problems.push(...findBucketProblems(input));
  if (destination === 'azure' || destination === 'gcs') problems.push(...findCloudProblems(input));
  if (typeof template === 'string') {
    const problem = findTemplateProblem(template);
    if (problem !== undefined) addProblem(`name_template is '${template}': ${problem}.`, '/name_template');
  }
  const whole = Array.isArray(formats) ? formats.filter((value) => Object.hasOwn(documentFormats, String(value))) : [];
  if (columns.has('chunk_index') && whole.length > 0)
    addProblem(
      `${whole.join(', ')} are formats of whole documents, and the rows here are chunks; put the operator before the chunker, or write parquet, jsonl or csv.`,
      '/formats',
    );
  return problems;
}

function findBucketProblems(input: Record<string, unknown>): OperatorProblem[] {
  const { bucket, endpoint, region, accessKey, secretKey } = readS3Settings(input);
  const problems: OperatorProblem[] = [];
  const addProblem = (message: string, member: string) =>
    problems.push(createProblem(message, `/connection_params/${member}`));
  if (bucket === '') addProblem('Missing bucket name; expected `connection_params.bucket`.', 'bucket');
  if (endpoint !== undefined && !/^https?:\/\//.test(endpoint))
    addProblem(`endpoint_url is '${endpoint}'; expected an http or https address.`, 'endpoint_url');
  // The address is built from it.
  if (!/^[A-Za-z0-9-]+$/.test(region))
    addProblem(`region is '${region}'; expected letters, digits and hyphens.`, 'region');
  if (accessKey === undefined || secretKey === undefined)
    addProblem('access_key and secret_key are needed: nothing is written to a bucket without them.', 'access_key');
  return problems;
}

/** The secrets of the operator are next to its other settings, not in `credentials` like those of sources. */
function addCredentials(input: Record<string, unknown>): Record<string, unknown> {
  return { ...input, credentials: input['connection_params'] };
}

function findCloudProblems(input: Record<string, unknown>): OperatorProblem[] {
  const { keyText, prefix, ...bucket } = readGoogleSettings(addCredentials(input));
  const problems = input['destination'] === 'azure' ? findContainerProblems(input) : [...findGoogleProblems(bucket)];
  if (input['destination'] === 'gcs' && keyText === undefined)
    problems.push({
      member: 'service_account_key',
      message: 'service_account_key is missing: nothing is written to a bucket without it.',
    });
  if (prefix !== '' && !isPlainKey(prefix))
    problems.push({
      member: 'prefix',
      message: 'prefix holds `.` or `..` as the name of a folder, or a control character.',
    });
  return problems.map(({ member, message }) => createProblem(message, `/connection_params/${member}`));
}

/** The problems of the container, in the words of this operator, whose secrets are not in `credentials`. */
function findContainerProblems(input: Record<string, unknown>): { member: string; message: string }[] {
  const problems = findAzureProblems(readAzureContainer(addCredentials(input)), { needsSecret: true });
  return problems.map(({ member, message }) => ({
    member: member === 'credentials' ? 'account_key' : member,
    message: message.replace('`credentials.sas_token`', '`sas_token`'),
  }));
}
