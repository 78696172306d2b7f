import { type Static, Type } from '@sinclair/typebox';
import { openObject, nullable, headerFields } from './schema-parts';

const defineKind = <const K extends string>(name: K) => Type.Literal(name, { default: name });

/** A file embedded in the request. */
const FileSource = Type.Object(
  {
    kind: defineKind('file'),
    base64_string: Type.String({ description: 'The bytes in base64.' }),
    filename: Type.String({ description: 'The file name. The extension determines the format.' }),
  },
  { $id: 'FileSourceRequest' },
);
type FileSource = Static<typeof FileSource>;

/** A file that the server downloads. */
const HttpSource = Type.Object(
  {
    kind: defineKind('http'),
    url: Type.String({ format: 'uri', description: 'An http or https address.' }),
    headers: headerFields({ description: 'Sent with the download, to the first host only.' }),
  },
  { $id: 'AnyHttpSourceRequest' },
);
type HttpSource = Static<typeof HttpSource>;

const s3 = {
  endpoint: Type.String({ description: 'Host and port of the S3 server, without a protocol.' }),
  verify_ssl: Type.Boolean({ default: true, description: 'Use https.' }),
  access_key: Type.String(),
  secret_key: Type.String(),
  bucket: Type.String(),
  key_prefix: Type.String({ default: '' }),
  region: nullable(Type.String()),
  max_num_elements: nullable(Type.Integer({ minimum: 1 })),
};

/** All objects under a prefix of a bucket. */
export const S3Source = Type.Object({ kind: defineKind('s3'), ...s3 }, { $id: 'S3SourceRequest' });
export type S3Source = Static<typeof S3Source>;

const azure = {
  account_name: Type.String({ description: 'May be empty: the connection string names it.' }),
  container: Type.String({ minLength: 1 }),
  connection_string: Type.String({
    description: 'With AccountKey or SharedAccessSignature, as the portal of Azure shows it.',
  }),
  blob_prefix: Type.String({ default: '' }),
  max_num_elements: nullable(Type.Integer({ minimum: 1 })),
};
const google = {
  bucket: Type.String(),
  key_prefix: Type.String({ default: '' }),
  max_num_elements: nullable(Type.Integer({ minimum: 1 })),
  project: nullable(Type.String()),
  service_account_key: nullable(
    openObject({
      description: 'The key file of a service account; without it, the bucket is read without credentials.',
    }),
  ),
};
const drive = {
  path_id: Type.String(),
  token_path: nullable(Type.String()),
  refresh_token: nullable(Type.String()),
  credentials_path: nullable(Type.String()),
  credentials: nullable(openObject()),
};

/** All blobs under a prefix of a container. */
export const AzureBlobSource = Type.Object(
  { kind: defineKind('azure_blob'), ...azure },
  { $id: 'AzureBlobSourceRequest' },
);
/** All objects under a prefix of a Google Cloud Storage bucket. */
export const GoogleCloudStorageSource = Type.Object(
  { kind: defineKind('google_cloud_storage'), ...google },
  { $id: 'GoogleCloudStorageSourceRequest' },
);
type AzureBlobSource = Static<typeof AzureBlobSource>;
type GoogleCloudStorageSource = Static<typeof GoogleCloudStorageSource>;

/** A bucket or container. */
export type BucketSource = S3Source | AzureBlobSource | GoogleCloudStorageSource;
/** The kinds of buckets and containers, as sources and as targets. */
export const bucketKinds = ['s3', 'azure_blob', 'google_cloud_storage'] as const;

/** True for a bucket or container: as a source, it stands for all its documents. */
export function isBucket<T extends { kind: string }>(item: T): item is Extract<T, { kind: BucketSource['kind'] }> {
  return bucketKinds.some((kind) => kind === item.kind);
}

/** A folder or file on Google Drive. */
const GoogleDriveSource = Type.Object(
  { kind: defineKind('google_drive'), ...drive },
  { $id: 'GoogleDriveSourceRequest' },
);

/** Sources of a conversion. */
export const ConvertSource = Type.Union([FileSource, HttpSource], { discriminator: { propertyName: 'kind' } });
export type ConvertSource = Static<typeof ConvertSource>;

/** Sources of a batch; each may contain many documents. */
export const BatchSource = Type.Union(
  [HttpSource, S3Source, AzureBlobSource, GoogleCloudStorageSource, GoogleDriveSource],
  { discriminator: { propertyName: 'kind' } },
);
export type BatchSource = Static<typeof BatchSource>;

/** The result is returned in the response body. */
export const InBodyTarget = Type.Object({ kind: defineKind('inbody') }, { $id: 'InBodyTarget' });
/** The result is an archive. */
export const ZipTarget = Type.Object({ kind: defineKind('zip') }, { $id: 'ZipTarget' });
/** The archive is sent to an address with one PUT request. */
export const PutTarget = Type.Object(
  { kind: defineKind('put'), url: Type.String({ format: 'uri' }) },
  { $id: 'PutTarget' },
);
/** The files are stored in the server's own bucket. The result holds presigned URLs, which expire. */
export const PresignedUrlTarget = Type.Object({ kind: defineKind('presigned_url') }, { $id: 'PresignedUrlTarget' });
/** The files are written to a bucket. */
export const S3Target = Type.Object({ kind: defineKind('s3'), ...s3 }, { $id: 'S3Target' });
type S3Target = Static<typeof S3Target>;
/** The files are written to a container. */
export const AzureBlobTarget = Type.Object({ kind: defineKind('azure_blob'), ...azure }, { $id: 'AzureBlobTarget' });
/** The files are written to a Google Cloud Storage bucket. */
export const GoogleCloudStorageTarget = Type.Object(
  { kind: defineKind('google_cloud_storage'), ...google },
  { $id: 'GoogleCloudStorageTarget' },
);
/** A bucket or container that files are written to. */
export type BucketTarget = S3Target | Static<typeof AzureBlobTarget> | Static<typeof GoogleCloudStorageTarget>;
/** The files are written to Google Drive. */
export const GoogleDriveTarget = Type.Object(
  { kind: defineKind('google_drive'), ...drive },
  { $id: 'GoogleDriveTarget' },
);

/** The destination of the result of a conversion. */
export const ConvertTarget = Type.Union(
  [
    InBodyTarget,
    ZipTarget,
    PutTarget,
    PresignedUrlTarget,
    S3Target,
    AzureBlobTarget,
    GoogleCloudStorageTarget,
    GoogleDriveTarget,
  ],
  { discriminator: { propertyName: 'kind' } },
);
export type ConvertTarget = Static<typeof ConvertTarget>;

/** The destination of the files of a batch. */
export const BatchTarget = Type.Union(
  [S3Target, AzureBlobTarget, GoogleCloudStorageTarget, GoogleDriveTarget, PresignedUrlTarget],
  { discriminator: { propertyName: 'kind' } },
);
export type BatchTarget = Static<typeof BatchTarget>;

/** An address that receives the progress of a task. */
export const Callback = Type.Object(
  {
    url: Type.String({ format: 'uri' }),
    headers: headerFields(),
    ca_cert: Type.String({ default: '', description: 'PEM certificates to trust in addition to the usual ones.' }),
  },
  { $id: 'CallbackSpec' },
);
export type Callback = Static<typeof Callback>;
