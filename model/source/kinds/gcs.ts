import { findGoogleProblems, readGoogleSettings } from '../google-bucket';
import { defineOptionalSecret, createSourceProblem, type SourceKind, reachOneServer } from '../kind';

/** Buckets of Google Cloud Storage. */
export const gcs = {
  name: 'gcs',
  aliases: ['google_cloud_storage'],
  summary: 'objects of a bucket of Google Cloud Storage',
  settings: {},
  credentials: {
    service_account_key: defineOptionalSecret(
      'gcs: the key file of a service account, the whole JSON as one text. Use a reference such as `${connection:NAME}`.',
    ),
  },
  connection: 'gcs',
  usualAddress: 'https://storage.googleapis.com',
  rights: {
    reach: reachOneServer,
    sign_in: 'Google accepts the service account key.',
    list: '`storage.objects.list` on the bucket (role Storage Object Viewer).',
    read: '`storage.objects.get` on the objects (role Storage Object Viewer).',
    access: '`storage.objects.get` on `.acl.json` objects, each of which is valid.',
  },
  version: 'the generation',
  access: 'the nearest `.acl.json` object; the ACL of Google is not read',
  problems: (config) =>
    findGoogleProblems(readGoogleSettings(config)).map(({ member, message }) =>
      createSourceProblem(`/connection_params/${member}`, message),
    ),
} as const satisfies SourceKind;
