import { readImapSettings } from '../../../model/source/imap-source';
import { formatMailboxPlace, parseMailboxList } from './imap-rights';

const atom = (value: unknown) => ({ type: 'ATOM', value });

test('the answer to GETACL is a mailbox, then identifiers and rights', () => {
  const answer = [atom('INBOX'), atom('alice'), atom('lr'), atom(Buffer.from('-jürgen')), atom('r')];
  expect(parseMailboxList(answer)).toEqual([
    { identifier: 'alice', rights: 'lr' },
    { identifier: '-jürgen', rights: 'r' },
  ]);
  expect(parseMailboxList([atom('INBOX')])).toEqual([]);
});

test.each([
  ['an identifier without rights', [atom('INBOX'), atom('alice')]],
  ['NIL as an identifier', [atom('INBOX'), null, atom('lr')]],
  ['a list', [atom('INBOX'), [atom('alice')], atom('lr')]],
  ['too many entries', [atom('INBOX'), ...Array.from({ length: 20_002 }, () => atom('alice'))]],
])('%s makes the list invalid', (_, answer) =>
  expect(() => parseMailboxList(answer)).toThrow(expect.objectContaining({ code: 'ACCESS_LIST_INVALID' })),
);

test('places have no usual port', () => {
  const place = (params: object, names: string[] = []) =>
    formatMailboxPlace(readImapSettings({ connection_params: { host: 'mail.acme.example', ...params } }), names);
  expect(place({})).toBe('imap://mail.acme.example');
  expect(place({ security: 'starttls' }, ['Shared', 'Team'])).toBe('imap://mail.acme.example/Shared/Team');
  expect(place({ port: 1993 })).toBe('imap://mail.acme.example:1993');
});
