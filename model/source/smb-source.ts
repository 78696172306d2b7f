import { readFilesystemSettings } from './filesystem-source';
import { toAbsoluteFolder } from './git-source';
import type { SourceFilter } from './remote-source';
import { readSignIn, createSettingReader } from './server-settings';

/** Whether a server that can only sign is refused. */
export const smbEncryptions = ['required', 'if_possible'] as const;
/** Whether readers need access to the folders above a file. */
export const smbTraversals = ['check', 'bypass'] as const;

/** The folder of a Windows share to read. */
export interface SmbSourceSettings extends SourceFilter {
  host: string;
  port: number;
  share: string;
  /** Begins with `/`. */
  folder: string;
  account: { domain: string; username: string; password: string };
  encryption: (typeof smbEncryptions)[number];
  traversal: (typeof smbTraversals)[number];
}

/** Reads the settings from the members used by every source. */
export function readSmbSettings(config: Record<string, unknown>): SmbSourceSettings {
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const read = createSettingReader(config);
  const { username = '', password = '' } = readSignIn(config);
  const [, domain = '', name = username] = /^([^\\]*)\\(.*)$/s.exec(username) ?? [];
  return {
    ...filter,
    host: read('host') ?? '',
    port: Number(read('port') ?? 445),
    share: read('share') ?? '',
    folder: toAbsoluteFolder((read('folder') ?? '').replaceAll('\\', '/')),
    account: { domain, username: name, password },
    encryption: smbEncryptions.find((smbEncryption) => smbEncryption === read('encryption')) ?? 'required',
    traversal: smbTraversals.find((smbTraversal) => smbTraversal === read('traversal')) ?? 'check',
  };
}
