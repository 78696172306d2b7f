import { trimSlashes } from '../../trim-slashes';
import { readFilesystemSettings } from '../filesystem-source';
import type { SourceFilter } from '../remote-source';
import { createCredentialReader, createSettingReader } from '../server-settings';

/** Google's own address. */
export const usualDriveEndpoint = 'https://www.googleapis.com';
/** The address of the directory of Google Workspace. */
export const usualDirectoryEndpoint = 'https://admin.googleapis.com';

/** The drive or folder of Google Drive to read. */
export interface GoogleDriveSettings extends SourceFilter {
  endpoint: string;
  /** The key file of the service account as text, not yet parsed. */
  keyText: string;
  /** The user for whom the service account acts (domain-wide delegation); absent: itself. */
  subject?: string;
  /** A shared drive; absent: the drive of the account. */
  driveId?: string;
  /** Absent: the top folder of the drive. */
  folderId?: string;
}

/** Reads the settings from the members used by every source. */
export function readGoogleDriveSettings(config: Record<string, unknown>): GoogleDriveSettings {
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const read = createSettingReader(config);
  return {
    ...filter,
    endpoint: trimSlashes(read('endpoint_url') ?? usualDriveEndpoint),
    keyText: createCredentialReader(config)('service_account_key') ?? '',
    subject: read('subject'),
    driveId: read('drive_id'),
    folderId: read('folder_id'),
  };
}
