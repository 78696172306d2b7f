import { readConnectionString } from '../../source/azure-container';
import { type BucketSource, type BucketTarget, isBucket } from './sources';

/** A problem with a member of a bucket or container in a request. Messages never contain secrets. */
export interface BucketProblem {
  member: string;
  message: string;
}

/** Problems of a source or target that a schema cannot express; none for other kinds. */
export function findBucketProblems(place: { kind: string }): BucketProblem[] {
  if (!isBucket(place as BucketSource | BucketTarget | { kind: 'file' })) return [];
  const bucket = place as BucketSource | BucketTarget;
  if (bucket.kind === 'azure_blob') {
    const container = readContainer(bucket);
    return typeof container === 'string' ? [{ member: 'connection_string', message: container }] : [];
  }
  if (bucket.kind === 's3') return [];
  const { service_account_key: key, bucket: name } = bucket;
  const isText = (member: string) => typeof key?.[member] === 'string' && key[member] !== '';
  return [
    ...(/^[a-z0-9][a-z0-9._-]{1,221}$/.test(name)
      ? []
      : [{ member: 'bucket', message: 'expected the name of a bucket: lowercase letters, digits, `-`, `_` and `.`' }]),
    ...(key && !(isText('client_email') && isText('private_key'))
      ? [{ member: 'service_account_key', message: 'expected a key file with client_email and private_key' }]
      : []),
  ];
}

/** The address that a container of a request leads to, without its secrets; undefined for other kinds. */
export function findContainerAddress(place: { kind: string }): string | undefined {
  if (place.kind !== 'azure_blob') return undefined;
  const container = readContainer(place as Extract<BucketSource, { kind: 'azure_blob' }>);
  return typeof container === 'string' ? undefined : container.containerUrl;
}

function readContainer(place: Extract<BucketSource | BucketTarget, { kind: 'azure_blob' }>) {
  const { account_name: account, container, connection_string: text } = place;
  return readConnectionString(text, { account, container });
}
