import { findAzureProblems, readAzureContainer } from '../azure-container';
import {
  defineOptionalSecret,
  defineOptionalText,
  createSourceProblem,
  type SourceKind,
  reachOneServer,
} from '../kind';

/** Containers of Azure Blob Storage. */
export const azure = {
  name: 'azure',
  aliases: ['azure_blob'],
  summary: 'blobs of a container of Azure Blob Storage',
  settings: {
    container_url: defineOptionalText(
      'azure: the address of the container, such as `https://ACCOUNT.blob.core.windows.net/CONTAINER`.',
    ),
    account_name: defineOptionalText('azure: the storage account, where the address does not begin with its name.'),
  },
  credentials: {
    account_key: defineOptionalSecret(
      'azure: a key of the storage account. Use a reference such as `${connection:NAME}`.',
    ),
    sas_token: defineOptionalSecret(
      'azure: a shared access signature of the container instead of a key. Use a reference such as `${connection:NAME}`.',
    ),
  },
  connection: 'azure',
  rights: {
    reach: reachOneServer,
    sign_in: 'The server accepts the key or the shared access signature.',
    list: 'The container exists and may be listed (permission `l` of a signature).',
    read: 'The blobs may be read (permission `r` of a signature).',
    access: 'Every `.acl.json` blob can be read and is valid.',
  },
  version: 'the ETag',
  access: 'the nearest `.acl.json` blob; Azure itself keeps no rights of single blobs',
  problems: (config) =>
    findAzureProblems(readAzureContainer(config), { needsSecret: false }).map(({ member, message }) =>
      createSourceProblem(member === 'credentials' ? '/credentials' : `/connection_params/${member}`, message),
    ),
} as const satisfies SourceKind;
