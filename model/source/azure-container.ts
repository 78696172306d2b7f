import { trimSlashes } from '../trim-slashes';
import { readFilesystemSettings } from './filesystem-source';
import type { SourceFilter } from './remote-source';
import { createCredentialReader, createSettingReader } from './server-settings';

/** A container of Azure Blob Storage, with its credentials. Without key and signature it is read anonymously. */
export interface AzureContainer {
  containerUrl: string;
  /** Absent: the account in the address. */
  accountName?: string;
  accountKey?: string;
  /** A shared access signature, without the question mark. */
  sasToken?: string;
}

/** The blobs to read. */
export interface AzureSourceSettings extends SourceFilter {
  container: AzureContainer;
  /** Only blobs whose names have this prefix are listed; empty for all. */
  prefix: string;
}

/** Reads a container from `connection_params` and `credentials`. */
export function readAzureContainer(config: Record<string, unknown>): AzureContainer {
  const read = createSettingReader(config);
  const readSecret = createCredentialReader(config);
  return {
    containerUrl: trimSlashes(read('container_url') ?? ''),
    accountName: read('account_name'),
    accountKey: readSecret('account_key'),
    sasToken: readSecret('sas_token')?.replace(/^\?/, ''),
  };
}

/** Reads the settings from the members used by every source. */
export function readAzureSettings(config: Record<string, unknown>): AzureSourceSettings {
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const prefix = (createSettingReader(config)('prefix') ?? '').replace(/^\/+/, '');
  return { ...filter, container: readAzureContainer(config), prefix };
}

/** Problems with the members of a container, each with its name; secrets may be references. */
export function findAzureProblems(
  { containerUrl, accountKey, sasToken }: AzureContainer,
  { needsSecret }: { needsSecret: boolean },
): { member: 'container_url' | 'credentials'; message: string }[] {
  const url = /^https?:\/\//i.test(containerUrl) && URL.canParse(containerUrl) ? new URL(containerUrl) : undefined;
  const isPlain = url && url.username === '' && url.password === '' && url.search === '' && url.pathname.length > 1;
  return [
    ...(isPlain
      ? []
      : [
          {
            member: 'container_url' as const,
            // Not quoted: an address copied from a browser contains a signature.
            message:
              'container_url is not the http or https address of a container, such as https://ACCOUNT.blob.core.windows.net/CONTAINER; a signature belongs in `credentials.sas_token`.',
          },
        ]),
    ...(accountKey !== undefined && sasToken !== undefined
      ? [{ member: 'credentials' as const, message: 'Expected account_key or sas_token, not both.' }]
      : []),
    ...(needsSecret && accountKey === undefined && sasToken === undefined
      ? [
          {
            member: 'credentials' as const,
            message: 'account_key or sas_token is missing: nothing is written to a container without one.',
          },
        ]
      : []),
  ];
}

/**
 * The container in a connection string of Azure Storage
 * (learn.microsoft.com/azure/storage/common/storage-configure-connection-string), or a text that describes the problem without
 * quoting the string.
 */
export function readConnectionString(
  text: string,
  { account, container }: { account: string; container: string },
): AzureContainer | string {
  const parts = new Map(
    text
      .split(';')
      .filter((part) => part.includes('='))
      .map((part): [string, string] => {
        const at = part.indexOf('=');
        return [part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).trim()];
      }),
  );
  const name = parts.get('accountname') ?? account;
  const key = parts.get('accountkey');
  const signature = parts.get('sharedaccesssignature')?.replace(/^\?/, '');
  if (!key && !signature) return 'connection_string has neither AccountKey nor SharedAccessSignature';
  if (account !== '' && account !== name) return 'connection_string belongs to another account than account_name';
  const protocol = parts.get('defaultendpointsprotocol') ?? 'https';
  const suffix = parts.get('endpointsuffix') ?? 'core.windows.net';
  const endpoint = trimSlashes(parts.get('blobendpoint') ?? `${protocol}://${name}.blob.${suffix}`);
  const containerUrl = `${endpoint}/${encodeURIComponent(container)}`;
  const [problem] = findAzureProblems({ containerUrl }, { needsSecret: false });
  if (problem) return 'connection_string names no http or https address of a blob service';
  return {
    containerUrl,
    ...(name === '' ? {} : { accountName: name }),
    ...(key ? { accountKey: key } : { sasToken: signature ?? '' }),
  };
}
