import { Type } from '@sinclair/typebox';
import type { OperatorProblem } from '../../flow/operator';
import {
  isWebAddress,
  defineOptionalSecret,
  defineOptionalText,
  createSourceProblem,
  type SourceKind,
  reachOneServer,
} from '../kind';
import { readS3Settings } from '../remote-source';

const keys = {
  access_key: defineOptionalSecret('s3: the key id. Use a reference such as `${DOCLOOM_SECRET_S3_ACCESS_KEY}`.'),
  secret_key: defineOptionalSecret('s3: the secret key. Use a reference such as `${DOCLOOM_SECRET_S3_SECRET_KEY}`.'),
  access_key_id: defineOptionalSecret('Alias of access_key.'),
  aws_access_key_id: defineOptionalSecret('Alias of access_key.'),
  secret_access_key: defineOptionalSecret('Alias of secret_key.'),
  aws_secret_access_key: defineOptionalSecret('Alias of secret_key.'),
};

/** Buckets of any S3 server. */
export const s3 = {
  name: 's3',
  aliases: ['ibm_cos'],
  summary: 'objects of a bucket on any S3 server',
  settings: {
    bucket: defineOptionalText('s3, gcs: the bucket.'),
    prefix: Type.Optional(
      Type.String({ maxLength: 1_024, description: 's3, azure, gcs: only objects whose keys have this prefix.' }),
    ),
    endpoint_url: defineOptionalText(
      's3, gcs, sharepoint, google_drive: the address of the server; default: the address of Amazon in the region, of Google, or of Microsoft Graph.',
    ),
    region: defineOptionalText('s3: the region, default us-east-1.'),
    skip_empty_files: Type.Optional(Type.Boolean({ description: 's3: skip empty objects; default true.' })),
    skip_hidden_files: Type.Optional(Type.Boolean({ description: 'Alias of ignore_hidden_files.' })),
    ...keys,
  },
  credentials: keys,
  connection: 's3',
  usualAddress: 'https://s3.amazonaws.com',
  rights: {
    reach: reachOneServer,
    sign_in: 'The server accepts the keys.',
    list: '`s3:ListBucket` on the bucket.',
    read: '`s3:GetObject` on the objects.',
    access: '`s3:GetObject` on `.acl.json` objects, each of which is valid.',
  },
  version: 'the ETag',
  access: 'the nearest `.acl.json` object',
  problems(config) {
    const { bucket, endpoint, accessKey, secretKey } = readS3Settings(config);
    const problems: OperatorProblem[] = [];
    if (bucket === '')
      problems.push(
        createSourceProblem('/connection_params/bucket', 'Missing bucket name; expected `connection_params.bucket`.'),
      );
    if (endpoint !== undefined && !isWebAddress(endpoint))
      problems.push(
        createSourceProblem(
          '/connection_params/endpoint_url',
          `endpoint_url is '${endpoint}'; expected an http or https address.`,
        ),
      );
    if ((accessKey === undefined) !== (secretKey === undefined))
      problems.push(
        createSourceProblem('/credentials', 'One of access_key and secret_key is missing; expected both, or none.'),
      );
    return problems;
  },
} as const satisfies SourceKind;
