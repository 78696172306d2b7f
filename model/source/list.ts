import type { ConnectionType } from '../connection/connection';
import type { SourceKind } from './kind';
import { azure } from './kinds/azure';
import { confluence } from './kinds/confluence';
import { filesystem } from './kinds/filesystem';
import { gcs } from './kinds/gcs';
import { git } from './kinds/git';
import { googleDrive } from './kinds/google-drive';
import { http } from './kinds/http';
import { imap } from './kinds/imap';
import { library } from './kinds/library';
import { mediawiki } from './kinds/mediawiki';
import { s3 } from './kinds/s3';
import { sftp } from './kinds/sftp';
import { sharepoint } from './kinds/sharepoint';
import { smb } from './kinds/smb';
import { webdav } from './kinds/webdav';

const kinds = [
  filesystem,
  s3,
  http,
  library,
  webdav,
  git,
  sftp,
  azure,
  gcs,
  imap,
  smb,
  sharepoint,
  googleDrive,
  confluence,
  mediawiki,
] as const;

/** The name of a source, as in `provider`. */
export type SourceProvider = (typeof kinds)[number]['name'];

/** Every kind of source. Settings, validation, checks and documentation are read from this list. */
export const sourceKinds: readonly (SourceKind & { name: SourceProvider })[] = kinds;

/** Every value of `provider`, each kind followed by its aliases. */
export const sourceNames: readonly string[] = sourceKinds.flatMap(({ name, aliases }) => [name, ...aliases]);

/** The kind of source of an ingest configuration; undefined for an unknown `provider`. */
export function findSourceKind(config: Record<string, unknown>): (typeof sourceKinds)[number] | undefined {
  const name = config['provider'] ?? 'filesystem';
  return sourceKinds.find((kind) => kind.name === name || kind.aliases.some((alias) => alias === name));
}

/** The secrets that a source accepts, and where they are sent if its configuration has no address. */
export function listSourceSecrets(config: Record<string, unknown>): { types: ConnectionType[]; fallback: string[] } {
  const kind = findSourceKind(config);
  return { types: [kind?.connection ?? 'web'], fallback: [kind?.usualAddress ?? ''].flat() };
}

/** Like `listSourceSecrets`, for reading the accounts and groups of the source. */
export function listDirectorySecrets(config: Record<string, unknown>): { types: ConnectionType[]; fallback: string[] } {
  const { types, fallback } = listSourceSecrets(config);
  return { types, fallback: [findSourceKind(config)?.directoryAddress ?? fallback].flat() };
}
