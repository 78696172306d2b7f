import { trimSlashes } from '../../trim-slashes';
import { readFilesystemSettings } from '../filesystem-source';
import { toAbsoluteFolder } from '../git-source';
import type { SourceFilter } from '../remote-source';
import { createCredentialReader, createSettingReader } from '../server-settings';

/** Addresses of Microsoft's worldwide cloud. */
export const usualGraphAddresses = {
  endpoint: 'https://graph.microsoft.com',
  login: 'https://login.microsoftonline.com',
} as const;

/** The application that reads a tenant through Microsoft Graph. */
export interface GraphAccount {
  endpoint: string;
  login: string;
  tenant: string;
  clientId: string;
  clientSecret: string;
  /** A certificate with its key, in PEM; used instead of the secret. */
  certificate?: string;
  /** Absent: the application signs in as itself (client credentials). */
  refreshToken?: string;
}

/** The document library or OneDrive to read. */
export interface SharepointSourceSettings extends SourceFilter {
  account: GraphAccount;
  /** One of `driveId`, `site` and `user` is set. */
  driveId?: string;
  /** `contoso.sharepoint.com:/sites/legal`, or the host alone for its root site. */
  site?: string;
  /** Addresses of sites whose groups an identity map reads. */
  sites: readonly string[];
  /** A library of the site, by name; absent: the default one. */
  library?: string;
  /** The owner of a OneDrive. */
  user?: string;
  /** Begins with `/`. */
  folder: string;
}

/** Reads the settings from the members used by every source. */
export function readSharepointSettings(config: Record<string, unknown>): SharepointSourceSettings {
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const read = createSettingReader(config);
  const secret = createCredentialReader(config);
  const optional = (name: string, value: string | undefined) => (value === undefined ? {} : { [name]: value });
  return {
    ...filter,
    account: {
      endpoint: trimAddress(read('endpoint_url') ?? usualGraphAddresses.endpoint),
      login: trimAddress(read('login_url') ?? usualGraphAddresses.login),
      tenant: read('tenant_id') ?? '',
      clientId: read('client_id') ?? '',
      clientSecret: secret('client_secret') ?? '',
      ...optional('certificate', secret('certificate')),
      ...optional('refreshToken', secret('refresh_token')),
    },
    sites: readSites(config),
    folder: toAbsoluteFolder(read('folder') ?? ''),
    ...optional('driveId', read('drive_id')),
    ...optional('site', read('site')),
    ...optional('library', read('document_library')),
    ...optional('user', read('user')),
  };
}

function readSites({ connection_params: params }: Record<string, unknown>): string[] {
  const { sites } = (params ?? {}) as { sites?: unknown };
  return Array.isArray(sites) ? sites.map(String) : [];
}

/** An address without trailing slashes. */
export function trimAddress(address: string): string {
  return trimSlashes(address);
}
