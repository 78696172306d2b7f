import { createAddressGuard } from '../../../services/net/address-guard';
import type { KnownItems } from '../../../services/source/items/known-items';
import { createSources } from '../../../services/source/sources';
import { type GoogleDriveDouble, startGoogleDrive } from '../doubles/google-drive';
import { type SourceFixture, withParams } from './fixture';

/** The configuration of a flow that reads the drive of the double. */
export function googleDriveConfig({ server, key }: GoogleDriveDouble): Record<string, unknown> {
  return {
    provider: 'google_drive',
    connection_params: { endpoint_url: server.origin },
    credentials: { service_account_key: JSON.stringify(key) },
  };
}

/** A drive on a double of Google Drive; with `knownItems`, listings follow its changes. */
export async function googleDriveFixture(knownItems?: KnownItems): Promise<SourceFixture> {
  const drive = await startGoogleDrive();
  const config = googleDriveConfig(drive);
  return {
    provider: 'google_drive',
    sources: createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']), knownItems }),
    strict: createSources({ roots: [] }),
    config,
    put: async (key, text) => void drive.put(key, text),
    remove: async (key) => drive.remove(key),
    keyOf: ({ metadata }) => String(metadata['relative_path']),
    missing: withParams(config, { folder_id: 'none' }),
    wrongSignIn: { ...config, credentials: { service_account_key: JSON.stringify(drive.wrongKey) } },
    close: () => drive.stop(),
  };
}
