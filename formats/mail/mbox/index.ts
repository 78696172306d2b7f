import type { Format } from '../../format';

/** Mailboxes with many messages in one file (RFC 4155), as used by Thunderbird, mutt and archives of mailing lists. */
export const mbox: Format = {
  name: 'mbox',
  label: 'Mailbox',
  mediaTypes: ['application/mbox'],
  extensions: ['mbox', 'mbx'],
  sniff: (head) =>
    /^From \S[^\n]*\b\d{1,2}:\d{2}\b[^\n]*\b\d{4}\r?\n[!-9;-~]+:/.test(Buffer.from(head).toString('latin1')),
  overrides: ['text'],
  holds: 'container',
  load: () => import('./read'),
};
