import { type Static, Type } from '@sinclair/typebox';
import { readFilesystemSettings } from './filesystem-source';
import type { SourceFilter } from './remote-source';
import { createCredentialReader, createSettingReader } from './server-settings';

const text = Type.String({ minLength: 1, maxLength: 16_000 });

/** The members of a service account key that are used; others are ignored. */
export const GoogleKey = Type.Object({
  client_email: text,
  private_key: text,
  private_key_id: Type.Optional(Type.String({ maxLength: 1_000 })),
  /** Absent: Google's own address. */
  token_uri: Type.Optional(Type.String({ maxLength: 2_000 })),
});
export type GoogleKey = Static<typeof GoogleKey>;

/** A bucket of Google Cloud Storage. Without a key it is read anonymously. */
export interface GoogleBucket {
  bucket: string;
  /** Absent: Google's own address. */
  endpoint?: string;
  key?: GoogleKey;
}

/** The objects to read. */
export interface GoogleSourceSettings extends SourceFilter {
  bucket: string;
  endpoint?: string;
  /** The key file as text, not yet parsed. */
  keyText?: string;
  /** Only objects whose names have this prefix are listed; empty for all. */
  prefix: string;
}

/** Reads the settings from the members used by every source. */
export function readGoogleSettings(config: Record<string, unknown>): GoogleSourceSettings {
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const read = createSettingReader(config);
  return {
    ...filter,
    bucket: read('bucket') ?? '',
    prefix: (read('prefix') ?? '').replace(/^\/+/, ''),
    endpoint: read('endpoint_url'),
    keyText: createCredentialReader(config)('service_account_key'),
  };
}

/** Problems with the members of a bucket, each with its name; the key may be a reference. */
export function findGoogleProblems({
  bucket,
  endpoint,
}: Pick<GoogleSourceSettings, 'bucket' | 'endpoint'>): { member: 'bucket' | 'endpoint_url'; message: string }[] {
  const isAddress = endpoint === undefined || (/^https?:\/\//i.test(endpoint) && URL.canParse(endpoint));
  return [
    ...(/^[a-z0-9][a-z0-9._-]{1,221}$/.test(bucket)
      ? []
      : [
          {
            member: 'bucket' as const,
            message:
              'Missing bucket name; expected `connection_params.bucket` in lowercase letters, digits, `-`, `_` and `.`.',
          },
        ]),
    ...(isAddress
      ? []
      : [
          {
            member: 'endpoint_url' as const,
            message: `endpoint_url is '${endpoint}'; expected an http or https address.`,
          },
        ]),
  ];
}
