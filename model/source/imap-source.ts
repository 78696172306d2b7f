import { readFilesystemSettings } from './filesystem-source';
import type { SourceFilter } from './remote-source';
import { readSignIn, createSettingReader, type SignIn } from './server-settings';

/** How the connection is encrypted. */
export const imapSecurities = ['tls', 'starttls', 'none'] as const;
type ImapSecurity = (typeof imapSecurities)[number];

/** The mailbox to read. */
export interface ImapSourceSettings extends SourceFilter, SignIn {
  host: string;
  port: number;
  security: ImapSecurity;
  /** Names of folders with `/` between them; empty for all. */
  folder: string;
}

/** Reads the settings from the members used by every source. */
export function readImapSettings(config: Record<string, unknown>): ImapSourceSettings {
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const read = createSettingReader(config);
  const security = imapSecurities.find((imapSecurity) => imapSecurity === read('security')) ?? 'tls';
  return {
    ...filter,
    ...readSignIn(config),
    host: read('host') ?? '',
    port: Number(read('port') ?? (security === 'tls' ? 993 : 143)),
    security,
    folder: (read('folder') ?? '').split('/').filter(Boolean).join('/'),
  };
}
