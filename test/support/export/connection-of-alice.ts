import type { OpenConnection } from '../../../model/connection/connection';

/** Must appear in no answer of a check. */
export const secret = { access_key: 'AKIAOFALICE', secret_key: 'the-secret-key-of-alice' };

/** A connection for S3 that alice alone may use. */
export const connection: OpenConnection = {
  name: 'bucket',
  type: 's3',
  hosts: ['127.0.0.1'],
  secret,
  owner: 'alice',
  shared: false,
  users: [],
  groups: [],
};
