import { Type } from '@sinclair/typebox';
import { literals } from '../../literals';
import { imapSecurities, readImapSettings } from '../imap-source';
import { createSourceProblem, type SourceKind, reachOneServer } from '../kind';
import {
  findRightsProblems,
  folderSetting,
  hostSettings,
  rightsSetting,
  signInSettings,
  tokenSetting,
  findHostProblems,
} from '../server-settings';

/** Mailboxes of IMAP servers. */
export const imap = {
  name: 'imap',
  aliases: [],
  summary:
    'messages of the folders of a mailbox; their attachments are documents of their own that point to the message',
  settings: {
    ...hostSettings,
    security: Type.Optional(
      literals(imapSecurities, {
        description:
          'imap: `tls` (default, port 993), `starttls` (port 143), or `none`, which sends the password in plain text.',
      }),
    ),
    ...folderSetting,
    ...rightsSetting,
  },
  credentials: { ...signInSettings, ...tokenSetting },
  connection: 'imap',
  rights: {
    reach: reachOneServer,
    sign_in: 'The server accepts user name and password, or the token.',
    list: 'The account may list the folders and the messages in them (rights `l` and `r`).',
    read: 'The account may read the messages (right `r`).',
    access:
      'Below places of identity maps, the server has access control lists (`ACL`), and the account may read those of all folders (right `a`).',
  },
  version: 'UIDVALIDITY of the folder and UID: the bytes of a message never change, and its flags do not matter',
  access:
    'access control lists of the folders (RFC 4314), where an identity map covers them; else `allowed_users` of the flow, or the owner of the run',
  problems(config) {
    const { host, port, username, password, token } = readImapSettings(config);
    const problems = [...findRightsProblems(config, 'source'), ...findHostProblems({ host, port })];
    if (username === undefined || (password === undefined) === (token === undefined))
      problems.push(createSourceProblem('/credentials', 'Expected username, and password or token.'));
    return problems;
  },
} as const satisfies SourceKind;
