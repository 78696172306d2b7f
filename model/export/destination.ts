/** What an export does at its destination, in the order in which it is checked. */
export const destinationRights = ['reach', 'sign_in', 'write', 'read', 'remove'] as const;
export type DestinationRight = (typeof destinationRights)[number];

/** The kinds of destinations, as `destination` of the operator names them. */
export type DestinationKind = 'folder' | 's3' | 'azure' | 'gcs' | 'elasticsearch';

const reachServer = 'The server answers, DOCLOOM_ALLOWED_HOSTS lists it if its address is private, and the ';

/** The rights that an export needs, each with a description of what grants it. A folder needs no sign-in. */
export const destinationNeeds: Readonly<Record<DestinationKind, Partial<Record<DestinationRight, string>>>> = {
  folder: {
    reach:
      'DOCLOOM_EXPORT_PRINCIPALS names you (administrators, where it is not set), and the folder lies below one of DOCLOOM_EXPORT_ROOTS.',
    write: 'The account of the process may create files in the folder, and the disk is not full.',
    read: 'The account of the process may read its files.',
    remove: 'The account of the process may remove its files.',
  },
  s3: {
    reach: `${reachServer}bucket exists.`,
    sign_in: 'The server accepts the keys.',
    write: 'The keys allow `s3:PutObject` below the prefix.',
    read: 'The keys allow `s3:GetObject` below the prefix, and `s3:ListBucket`: without it, a missing file is refused instead of missing.',
    remove: 'The keys allow `s3:DeleteObject` below the prefix.',
  },
  azure: {
    reach: `${reachServer}container exists.`,
    sign_in: 'The server accepts the account key, or the shared access signature.',
    write: 'A shared access signature has the permissions `c` and `w`.',
    read: 'A shared access signature has the permission `r`.',
    remove: 'A shared access signature has the permission `d`.',
  },
  gcs: {
    reach: `${reachServer}bucket exists.`,
    sign_in: 'Google accepts the key of the service account.',
    write: 'The service account may create and replace objects (`storage.objects.create`, `storage.objects.delete`).',
    read: 'The service account has `storage.objects.get` and `storage.objects.list`.',
    remove: 'The service account has `storage.objects.delete`.',
  },
  elasticsearch: {
    reach: 'The server answers, and DOCLOOM_ALLOWED_HOSTS lists it if its address is private.',
    sign_in: 'The server accepts the API key, or the name and password.',
    write:
      'The account has `create_index`, `manage`, `read` and `write` on the index and the alias, and neither belongs to another program.',
  },
};
