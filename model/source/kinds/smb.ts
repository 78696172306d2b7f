import { Type } from '@sinclair/typebox';
import { literals } from '../../literals';
import { defineOptionalText, createSourceProblem, type SourceKind, reachOneServer } from '../kind';
import {
  findRightsProblems,
  folderSetting,
  hostSettings,
  rightsSetting,
  signInSettings,
  findHostProblems,
} from '../server-settings';
import { readSmbSettings, smbEncryptions, smbTraversals } from '../smb-source';

/** Shares of Windows and Samba. */
export const smb = {
  name: 'smb',
  aliases: [],
  summary: 'files and folders of a Windows or Samba share; links are not followed',
  settings: {
    ...hostSettings,
    share: defineOptionalText('smb: the name of the share.'),
    ...folderSetting,
    ...rightsSetting,
    encryption: Type.Optional(
      literals(smbEncryptions, {
        description:
          'smb: `required` (default) refuses servers that cannot encrypt (before SMB 3); `if_possible` reads from them, too, with signed messages.',
      }),
    ),
    traversal: Type.Optional(
      literals(smbTraversals, {
        description:
          'smb, where an identity map covers the folder: `check` (default): readers of a file also need access to every folder above it, as with Samba. `bypass`: they do not, as with Windows.',
      }),
    ),
  },
  credentials: signInSettings,
  connection: 'smb',
  rights: {
    reach: reachOneServer,
    sign_in: 'The server accepts user name and password (NTLMv2), and does not take the account for a guest.',
    list: 'The account may list the folder.',
    read: 'The account may read the files.',
    access:
      'Every `.acl.json` can be read and is valid; below places of identity maps, the account may read the permissions of files and folders.',
  },
  version: 'size and time of the last change; where Windows permissions apply, these too',
  access:
    'Windows permissions, where an identity map covers the folder; else the nearest `.acl.json`, up to the highest folder of the share that the account may read',
  problems(config) {
    const { host, port, share, account } = readSmbSettings(config);
    const problems = [...findRightsProblems(config, 'windows'), ...findHostProblems({ host, port })];
    if (share === '' || /[\\/:*?"<>|\0]/.test(share))
      problems.push(
        createSourceProblem('/connection_params/share', `share is '${share}'; expected the name of a share.`),
      );
    if (account.username === '' || account.password === '')
      problems.push(createSourceProblem('/credentials', 'Expected username and password.'));
    return problems;
  },
} as const satisfies SourceKind;
