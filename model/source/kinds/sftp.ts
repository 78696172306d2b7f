import { Type } from '@sinclair/typebox';
import { defineOptionalSecret, createSourceProblem, type SourceKind } from '../kind';
import { folderSetting, hostSettings, signInSettings, findHostProblems } from '../server-settings';
import { readSftpSettings } from '../sftp-source';

const credentials = {
  ...signInSettings,
  private_key: defineOptionalSecret(
    'sftp: a private key in OpenSSH or PEM format instead of a password. Use a reference.',
  ),
};

/** Folders of SSH servers. */
export const sftp = {
  name: 'sftp',
  aliases: [],
  summary: 'files and folders of an SSH server; links are not followed',
  settings: {
    ...hostSettings,
    host_key: Type.Optional(
      Type.String({
        pattern: '^SHA256:[A-Za-z0-9+/]{43}=?$',
        description: 'sftp: the fingerprint of the server’s key, as `ssh-keygen -l` prints it. Required.',
      }),
    ),
    ...folderSetting,
  },
  credentials,
  connection: 'sftp',
  rights: {
    reach:
      'The server answers with the key of `host_key`, and DOCLOOM_ALLOWED_HOSTS lists it if its address is private.',
    sign_in: 'The server accepts user name and password or key.',
    list: 'The account may list the folder.',
    read: 'The account may read the files.',
    access: 'Every `.acl.json` can be read and is valid.',
  },
  version: 'size and time of the last change',
  access: 'the nearest `.acl.json`, up to the highest folder that the account may read',
  problems(config) {
    const { host, port, hostKey, username, password, privateKey } = readSftpSettings(config);
    const problems = findHostProblems({ host, port });
    if (hostKey === undefined)
      problems.push(
        createSourceProblem(
          '/connection_params/host_key',
          'host_key is missing: without it, the password could be sent to another server. `ssh-keyscan HOST | ssh-keygen -lf -` prints it.',
        ),
      );
    if (username === undefined || (password ?? privateKey) === undefined)
      problems.push(createSourceProblem('/credentials', 'Expected username, and password or private_key.'));
    return problems;
  },
} as const satisfies SourceKind;
