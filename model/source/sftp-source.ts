import { readFilesystemSettings } from './filesystem-source';
import { toAbsoluteFolder } from './git-source';
import type { SourceFilter } from './remote-source';
import { createCredentialReader, readSignIn, createSettingReader, type SignIn } from './server-settings';

/** The folder of an SSH server to read. */
export interface SftpSourceSettings extends SourceFilter, SignIn {
  host: string;
  port: number;
  folder: string;
  /** `SHA256:…`, as printed by `ssh-keygen -l`. */
  hostKey?: string;
  privateKey?: string;
}

/** Reads the settings from the members used by every source. */
export function readSftpSettings(config: Record<string, unknown>): SftpSourceSettings {
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const read = createSettingReader(config);
  return {
    ...filter,
    ...readSignIn(config),
    host: read('host') ?? '',
    port: Number(read('port') ?? 22),
    folder: toAbsoluteFolder(read('folder') ?? ''),
    hostKey: read('host_key'),
    privateKey: createCredentialReader(config)('private_key'),
  };
}
