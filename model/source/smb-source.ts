import { readFilesystemSettings } from './filesystem-source';
import { toAbsoluteFolder } from './git-source';
import type { SourceFilter } from './remote-source';
import { readSignIn, createSettingReader } from './server-settings';

/** What happens with a server that cannot encrypt: `required` refuses it, `if_possible` goes on with signed messages. */
export const smbEncryptions = ['required', 'if_possible'] as const;
/** Whether readers of a file also need the right to traverse the folders above it: `check` or `bypass`. */
export const smbTraversals = ['check', 'bypass'] as const;

/** The port of SMB servers, which addresses of documents omit. */
export const defaultSmbPort = 445;
/** A user name with its domain, as in `EXAMPLE\alice`. */
const nameWithDomain = /^(?<domain>[^\\]*)\\(?<name>.*)$/s;

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

/** Reads the settings from the configuration of the operator, which has been validated. */
export function readSmbSettings(config: Record<string, unknown>): SmbSourceSettings {
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const read = createSettingReader(config);
  const { username = '', password = '' } = readSignIn(config);
  const { domain = '', name = username } = nameWithDomain.exec(username)?.groups ?? {};
  return {
    ...filter,
    host: read('host') ?? '',
    port: Number(read('port') ?? defaultSmbPort),
    share: read('share') ?? '',
    folder: toAbsoluteFolder((read('folder') ?? '').replaceAll('\\', '/')),
    account: { domain, username: name, password },
    // Of other values, the stricter one applies.
    encryption: read('encryption') === 'if_possible' ? 'if_possible' : 'required',
    traversal: read('traversal') === 'bypass' ? 'bypass' : 'check',
  };
}
