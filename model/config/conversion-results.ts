import type { Setting } from './setting';

/** Results of conversions: how long they are kept, callbacks, and the bucket of presigned URLs. */
export const conversionResultSettings = {
  DOCLOOM_GCS_ENDPOINT: {
    kind: 'text',
    default: 'https://storage.googleapis.com',
    text: 'URL of Google Cloud Storage for sources and targets of `/v1`, such as a private endpoint. Private addresses also need DOCLOOM_ALLOWED_HOSTS.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_ENABLED: {
    kind: 'boolean',
    default: 'false',
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_ENABLED'],
    text: 'Enable presigned_url targets, stored in the bucket that the next settings define.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_ENDPOINT: {
    kind: 'text',
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_ENDPOINT'],
    text: 'Host and port of the S3 server for results, as clients reach it.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_VERIFY_SSL: {
    kind: 'boolean',
    default: 'true',
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_VERIFY_SSL'],
    text: 'Use HTTPS for the S3 server for results.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_BUCKET: {
    kind: 'text',
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_BUCKET'],
    text: 'Bucket for results with presigned URLs.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_ACCESS_KEY: {
    kind: 'text',
    secret: true,
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_ACCESS_KEY'],
    text: 'Access key of that bucket.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_SECRET_KEY: {
    kind: 'text',
    secret: true,
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_SECRET_KEY'],
    text: 'Secret key of that bucket.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_KEY_PREFIX: {
    kind: 'text',
    default: 'converted/',
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_KEY_PREFIX'],
    text: 'Prefix of all keys in that bucket.',
  },
  CONVERT_SERVE_ARTIFACT_STORAGE_PRESIGN_TTL_SECONDS: {
    kind: 'integer',
    default: '3600',
    minimum: 60,
    aliases: ['DOCLING_SERVE_ARTIFACT_STORAGE_PRESIGN_TTL_SECONDS'],
    text: 'Seconds that a presigned URL is valid; at most 604800.',
  },
  DOCLOOM_RESULT_RETENTION_MINUTES: {
    kind: 'integer',
    default: '10080',
    minimum: 1,
    text: 'Minutes after which a finished conversion task and its results are deleted, whether fetched or not.',
  },
  DOCLOOM_CALLBACK_SECRET: {
    kind: 'text',
    secret: true,
    text: 'Key that signs callbacks of conversion tasks (HMAC-SHA256 in the header X-Docloom-Signature); if not set, they are not signed.',
  },
} as const satisfies Record<string, Setting>;
