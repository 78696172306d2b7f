import { Type } from '@sinclair/typebox';
import type { OperatorProblem } from '../flow/operator';
import { createValueReader } from './filesystem-source';
import { defineOptionalSecret, defineOptionalText, createSourceProblem } from './kind';

/** Credentials of sources with a user name and a password. */
export const signInSettings = {
  username: defineOptionalText(
    'webdav, git, sftp, imap, smb: the user name; for smb as `DOMAIN\\\\name` or `name@domain`. confluence: the mail address of the account; mediawiki: the name of a bot password, such as `Reader@docloom`.',
  ),
  password: defineOptionalSecret(
    'webdav, git, sftp, imap, smb, mediawiki: the password; for git also an access token. Use a reference.',
  ),
};

/** The server of sources that are not reached through a URL. */
export const hostSettings = {
  host: defineOptionalText('sftp, imap, smb: the server.'),
  port: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65_535,
      description: 'sftp, imap, smb: the port; default 22, 993 or 143, 445.',
    }),
  ),
};

/** Only for servers that accept tokens. */
export const tokenSetting = {
  token: defineOptionalSecret(
    'webdav: a bearer token instead of user name and password; imap: an access token (XOAUTH2) instead of the password; confluence: the API token of the account; mediawiki: an access token (OAuth 2.0) instead of name and password.',
  ),
};

/** The folder that contains the documents. */
export const folderSetting = {
  folder: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4_000,
      description: 'git, sftp, imap, smb, sharepoint: only documents in this folder.',
    }),
  ),
};

/** Sources whose own rights can decide who may read a document. */
export const rightsSetting = {
  rights: Type.Optional(
    Type.Union([Type.Literal('posix'), Type.Literal('windows'), Type.Literal('source')], {
      description:
        'filesystem: `posix`, smb: `windows`, imap, sharepoint, google_drive, confluence: `source`: fail unless an identity map covers the documents. Where one does, the rights of the source decide who may read a document (owner, group, mode and access control list of a file; Windows permissions; access control lists of mail folders; permissions and restrictions), with or without this setting.',
    }),
  ),
};

/** Rejects the rights of another source, because the flow would then apply other rights than it states. */
export function findRightsProblems(
  config: Record<string, unknown>,
  rights: 'posix' | 'windows' | 'source',
): OperatorProblem[] {
  const input = createSettingReader(config)('rights');
  if (input === undefined || input === rights) return [];
  return [createSourceProblem('/connection_params/rights', `rights is '${input}'; this source has '${rights}'.`)];
}

/** Problems of a server that is named by host and port. */
export function findHostProblems({ host, port }: { host: string; port: number }): OperatorProblem[] {
  const problems: OperatorProblem[] = [];
  if (host === '' || /[\s/@\\]/.test(host))
    problems.push(createSourceProblem('/connection_params/host', `host is '${host}'; expected the name of a server.`));
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    problems.push(createSourceProblem('/connection_params/port', 'port is not a number from 1 to 65535.'));
  return problems;
}

/** A problem of a source that takes user name and password, a token, or neither. */
export function findSignInProblems({ username, password, token }: SignIn): OperatorProblem[] {
  if (token !== undefined || (username === undefined) === (password === undefined)) return [];
  const message = 'One of username and password is missing; expected both, a token, or none.';
  return [createSourceProblem('/credentials', message)];
}

type Read = (name: string) => string | undefined;

/** Finds a setting in `connection_params`, `provider_config` or the top level, in this order. */
export function createSettingReader(config: Record<string, unknown>): Read {
  return readFrom([config['connection_params'], config['provider_config'], config]);
}

/** Finds a secret only in `credentials`, whose members are masked and encrypted. */
export function createCredentialReader(config: Record<string, unknown>): Read {
  return readFrom([config['credentials']]);
}

function readFrom(places: readonly unknown[]): Read {
  const readFirst = createValueReader(places);
  return (name) => {
    const value = readFirst(name);
    const text = typeof value === 'number' ? String(value) : value;
    return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined;
  };
}

/** User name, password and token, if set. */
export interface SignIn {
  username?: string;
  password?: string;
  token?: string;
}

/** Reads them from the configuration. */
export function readSignIn(config: Record<string, unknown>): SignIn {
  const read = createCredentialReader(config);
  const signIn: SignIn = {};
  for (const name of ['username', 'password', 'token'] as const) {
    const value = read(name);
    if (value !== undefined) signIn[name] = value;
  }
  return signIn;
}
