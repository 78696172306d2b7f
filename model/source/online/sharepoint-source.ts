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
  const readSecret = createCredentialReader(config);
  return {
    ...filter,
    account: {
      endpoint: trimSlashes(read('endpoint_url') ?? usualGraphAddresses.endpoint),
      login: trimSlashes(read('login_url') ?? usualGraphAddresses.login),
      tenant: read('tenant_id') ?? '',
      clientId: read('client_id') ?? '',
      clientSecret: readSecret('client_secret') ?? '',
      certificate: readSecret('certificate'),
      refreshToken: readSecret('refresh_token'),
    },
    sites: readSites(config),
    folder: toAbsoluteFolder(read('folder') ?? ''),
    driveId: read('drive_id'),
    site: read('site'),
    library: read('document_library'),
    user: read('user'),
  };
}

function readSites({ connection_params: params }: Record<string, unknown>): string[] {
  const { sites } = (params ?? {}) as { sites?: unknown };
  return Array.isArray(sites) ? sites.map(String) : [];
}
