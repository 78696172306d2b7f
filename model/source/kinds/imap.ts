import { Type } from '@sinclair/typebox';
import { literals } from '../../literals';
import { imapSecurities, readImapSettings } from '../imap-source';
import { createSourceProblem, type SourceKind } from '../kind';
import { folderSetting, hostSettings, signInSettings, tokenSetting } from '../server-settings';

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
  },
  credentials: { ...signInSettings, ...tokenSetting },
  connection: 'imap',
  rights: {
    reach: 'The server answers, and DOCLOOM_ALLOWED_HOSTS lists it if its address is private.',
    sign_in: 'The server accepts user name and password, or the token.',
    list: 'The account may list the folders and the messages in them (rights `l` and `r`).',
    read: 'The account may read the messages (right `r`).',
  },
  version: 'UIDVALIDITY of the folder and UID: the bytes of a message never change, and its flags do not matter',
  access: 'none: `allowed_users` of the flow, or the owner of the run',
  problems(config) {
    const { host, port, username, password, token } = readImapSettings(config);
    const problems = [];
    if (host === '' || /[\s/@]/.test(host))
      problems.push(
        createSourceProblem('/connection_params/host', `host is '${host}'; expected the name of a server.`),
      );
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      problems.push(createSourceProblem('/connection_params/port', 'port is not a number from 1 to 65535.'));
    if (username === undefined || (password === undefined) === (token === undefined))
      problems.push(createSourceProblem('/credentials', 'Expected username, and password or token.'));
    return problems;
  },
} as const satisfies SourceKind;
