import { createHash } from 'node:crypto';
import { strToU8, zipSync } from 'fflate';
import { readMemberRules } from '../../model/source/member-settings';
import { findMembers } from './members';

const rules = readMemberRules({});
const mail = 'From: a@example.org\nSubject: One\n\nText.\n';
const zip = () => zipSync({ 'a.txt': strToU8('A'), 'in/b.txt': strToU8('B'), 'm.eml': strToU8(mail) });

test('an archive is not a document; its members have size and hash, and no bytes unless requested', async () => {
  const answer = await findMembers({ name: 'x.zip', bytes: zip(), rules });
  expect(answer).toMatchObject({ found: { isContainer: true } });
  const members = 'found' in answer ? answer.found.members : [];
  expect(members.map(({ path, size, bytes }) => [path, size, bytes])).toEqual([
    ['a.txt', 1, undefined],
    ['in/b.txt', 1, undefined],
    ['m.eml', mail.length, undefined],
  ]);
  expect(members[0]?.hash).toMatch(/^[0-9a-f]{64}$/);
});

test('only requested members are extracted, with their bytes', async () => {
  const answer = await findMembers({ name: 'x.zip', bytes: zip(), rules, wanted: ['in/b.txt', 'none'] });
  const members = 'found' in answer ? answer.found.members : [];
  expect(members.map(({ path, bytes }) => [path, Buffer.from(bytes ?? []).toString()])).toEqual([['in/b.txt', 'B']]);
});

test('the messages of a mailbox are files', async () => {
  const bytes = Buffer.from(`From a\n${mail}\nFrom b\n${mail}`);
  const answer = await findMembers({ name: 'box.mbox', bytes, rules });
  expect('found' in answer && answer.found.members.map(({ path }) => path)).toEqual(['message-1.eml', 'message-2.eml']);
});

test('a large table is not a document but groups of rows, unless the rules say otherwise', async () => {
  const bytes = () => Buffer.from(`id,note\n${`1,${'text '.repeat(50)}\n`.repeat(55_000)}`);
  const answer = await findMembers({ name: 'orders.csv', bytes: bytes(), rules });
  expect(answer).toMatchObject({ found: { isContainer: true } });
  const [first] = 'found' in answer ? answer.found.members : [];
  expect(first).toMatchObject({ path: expect.stringMatching(/^orders-rows-1-\d+\.csv$/) });
  expect(first).not.toHaveProperty('bytes');
  const [wanted] = await findMembers({ name: 'orders.csv', bytes: bytes(), rules, wanted: [first!.path] }).then(
    (members) => ('found' in members ? members.found.members : []),
  );
  expect(createHash('sha256').update(wanted!.bytes!).digest('hex')).toBe(first!.hash);
  const whole = readMemberRules({ members: { tables: false } });
  expect(await findMembers({ name: 'orders.csv', bytes: bytes(), rules: whole })).toEqual({
    found: { isContainer: false, members: [] },
  });
});

test('nothing is extracted if the rules forbid it, and a container that cannot be opened is a failure', async () => {
  const none = { found: { isContainer: false, members: [] } };
  const closed = readMemberRules({ members: { archives: false } });
  expect(await findMembers({ name: 'x.zip', bytes: zip(), rules: closed })).toEqual(none);
  const bytes = Buffer.from('1f8b0800ffff', 'hex');
  expect(await findMembers({ name: 'x.gz', bytes, rules })).toMatchObject({ failure: { code: 'DOCUMENT_CORRUPT' } });
});
