import { ImapFlow } from 'imapflow';
import { createRandom } from '../../bench/support/random';
import {
  type AccessList,
  toGroupPrincipal,
  mayRead,
  normalizeAccessList,
  toIdentityPrincipal,
  toMapPrincipal,
} from '../../model/access-list';
import { createAddressGuard } from '../../services/net/address-guard';
import type { SourceEntry } from '../../services/source/source';
import { createSources } from '../../services/source/sources';
import { type MailServer, startDovecot } from '../support/servers/dovecot';

/** Access control lists of Dovecot: what each of 12 accounts may read by IMAP is what the lists say. */
const reader = 'docloom';
const users = Array.from({ length: 12 }, (_, number) => `user${String(number).padStart(2, '0')}`);
const usersWhere = (is: (number: number) => boolean) => users.filter((_, number) => is(number));
const groups = {
  sales: usersWhere((number) => number % 3 === 0),
  legal: usersWhere((number) => number % 4 === 1),
  interns: usersWhere((number) => number >= 8),
};
const mailboxes = 60;
const random = createRandom(Number(process.env['DOCLOOM_SEED'] ?? 7));
const pick = <T>(all: readonly T[]): T => all[random.integer(0, all.length - 1)]!;

let server: MailServer;
let admin: ImapFlow;

beforeAll(async () => {
  server = await startDovecot({ accounts: [reader, ...users], groups });
  admin = await connect(reader);
}, 5 * 60_000);
afterAll(async () => {
  admin.close();
  await server.stop();
});

async function connect(username: string): Promise<ImapFlow> {
  const client = new ImapFlow({
    host: '127.0.0.1',
    port: server.port,
    secure: false,
    auth: { user: username, pass: server.password },
    logger: false,
    disableAutoIdle: true,
  });
  await client.connect();
  return client;
}

/** Sends a command that the client does not have. Without rights, the entry is removed. */
async function setRights(folder: string, who: string, rights: string): Promise<void> {
  const mailbox = (await admin.list()).find(({ path }) => path === folder);
  const values = [mailbox?.pathAsListed ?? folder, who, rights];
  const { next } = await (
    admin as unknown as { exec(name: string, values: readonly object[]): Promise<{ next: () => void }> }
  ).exec(
    'SETACL',
    values.map((value) => ({ type: 'STRING', value })),
  );
  next();
}

async function createMailbox(name: string): Promise<string> {
  const folder = `Public/${name}`;
  await admin.mailboxCreate(folder);
  const text = `From: a@example.org\r\nSubject: ${name}\r\n\r\nText of ${name}.\r\n`;
  await admin.append(folder, Buffer.from(text), [], new Date('2026-03-04T05:06:07Z'));
  return folder;
}

const map = (places: readonly string[]) => ({
  map_id: 'mail',
  places: [...places],
  updated_at: '',
  updated_by: '',
  state: {},
});
const members = new Map(Object.entries(groups).map(([group, own]) => [`$${group}`, new Set(own)]));
const config = (params: object = {}) => ({
  provider: 'imap',
  connection_params: { host: '127.0.0.1', port: server.port, security: 'none', folder: 'Public', ...params },
  credentials: { username: reader, password: server.password },
});
const open = (places: readonly string[]) =>
  createSources({
    roots: [],
    guard: createAddressGuard(['127.0.0.1']),
    rights: { list: async () => [map(places)], listMembers: async () => members },
  });

async function list(params: object = {}, places = [`imap://127.0.0.1:${server.port}`]): Promise<SourceEntry[]> {
  const entries: SourceEntry[] = [];
  for await (const entry of open(places).list('imap', config(params), new AbortController().signal))
    entries.push(entry);
  return entries;
}

function listOf(entry: SourceEntry): AccessList {
  return normalizeAccessList({
    allowed_users: entry.allowedUsers ?? null,
    allowed_principals: entry.allowedPrincipals ?? null,
    denied_principals: entry.deniedPrincipals ?? null,
    required_lists: entry.requiredLists ?? null,
  });
}

function mayUserRead(user: string, entry: SourceEntry): boolean {
  const own = [...members].filter(([, accounts]) => accounts.has(user)).map(([id]) => toGroupPrincipal('mail', id));
  const principals = [toMapPrincipal('mail'), toIdentityPrincipal('mail', user), ...own];
  return entry.failure === undefined && mayRead({ username: 'somebody', principals }, listOf(entry));
}

/** Whether the account gets the text of the message in a mailbox. */
async function readsMailbox(client: ImapFlow, folder: string): Promise<boolean> {
  const lock = await client.getMailboxLock(folder, { readOnly: true }).catch((error: unknown) => {
    expect(error).toMatchObject({ responseStatus: 'NO' });
  });
  if (!lock) return false;
  try {
    const message = await client.fetchOne('1', { source: true });
    return message !== false && String(message.source).includes('Text of ');
  } finally {
    lock.release();
  }
}

/** Lists of 1 to 5 entries for accounts, groups and everybody, some negative. */
async function createMailboxes(start: string, negativeRights: readonly string[]): Promise<string[]> {
  const people = Object.keys(groups).flatMap((group) => [`$${group}`, `!$${group}`]);
  const folders: string[] = [];
  for (let number = 0; number < mailboxes; number += 1) {
    const folder = await createMailbox(`${start} ${number} ü&`);
    for (let entry = random.integer(1, 5); entry > 0; entry -= 1)
      if (random.chance(0.3)) await setRights(folder, `-${pick([...users, ...people])}`, pick(negativeRights));
      else {
        const who = random.chance(0.4) ? pick(users) : pick(['anyone', 'authenticated', ...people, ...people]);
        await setRights(folder, who, pick(['lr', 'lrws', 'l', 'r', 'w']));
      }
    folders.push(folder);
  }
  return folders;
}

/** For each account, the mailboxes that it reads by IMAP, and those that the listed documents let it read. */
async function compare(start: string, folders: readonly string[]) {
  const entries = await list();
  const entryOf = new Map(entries.map((entry) => [String(entry.metadata['folder']), entry]));
  expect(folders.filter((folder) => entryOf.get(folder)?.failure !== undefined)).toEqual([]);
  const all: { user: string; byImap: string[]; bySearch: string[] }[] = [];
  for (const user of users) {
    const client = await connect(user);
    const byImap: string[] = [];
    for (const folder of folders) if (await readsMailbox(client, folder)) byImap.push(folder);
    client.close();
    all.push({ user, byImap, bySearch: folders.filter((folder) => mayUserRead(user, entryOf.get(folder)!)) });
  }
  const count = (of: (pair: (typeof all)[number]) => string[]) => all.reduce((sum, pair) => sum + of(pair).length, 0);
  const [byImap, bySearch] = [count((pair) => pair.byImap), count((pair) => pair.bySearch)];
  const pairs = users.length * folders.length;
  process.stdout.write(
    `${start}: ${byImap} of ${pairs} pairs of account and mailbox by IMAP, ${bySearch} by search.\n`,
  );
  expect(bySearch).toBeGreaterThan(pairs / 10);
  expect(byImap).toBeLessThan((pairs * 9) / 10);
  return all;
}

test('what each account may read by IMAP is what the lists of random mailboxes say', async () => {
  const folders = await createMailboxes('Equal', ['r', 'lr', 'lrws']);
  for (const { user, byImap, bySearch } of await compare('equal', folders))
    expect([user, bySearch]).toEqual([user, byImap]);
}, 300_000);

test('where a negative right without `r` replaces one with `r` for Dovecot, the lists never say more', async () => {
  const folders = await createMailboxes('Within', ['r', 'w', 'l', 'lrws']);
  for (const { user, byImap, bySearch } of await compare('within', folders))
    expect([user, bySearch.filter((folder) => !byImap.includes(folder))]).toEqual([user, []]);
}, 300_000);

test('own folders of the account are for it alone; a changed list counts in the next listing', async () => {
  await admin.append('INBOX', Buffer.from('Subject: Own\r\n\r\nText of mine.\r\n'));
  const [own] = await list({ folder: 'INBOX' });
  expect(listOf(own!)).toEqual({ allowed_users: [], allowed_principals: ['g:mail:docloom', 'i:mail:docloom'] });
  const folder = await createMailbox('Changing');
  const change = async (who: string, rights: string) => {
    await setRights(folder, who, rights);
    const [entry] = await list({ folder });
    return users.filter((user) => mayUserRead(user, entry!));
  };
  expect(await change('user03', 'lr')).toEqual(['user03']);
  expect(await change('$legal', 'lr')).toEqual(['user01', 'user03', 'user05', 'user09']);
  expect(await change('user05', 'l')).toEqual(['user01', 'user03', 'user09']);
  expect(await change('user03', '')).toEqual(['user01', 'user09']);
});

test('nobody may read messages whose list the account may not read, and the check says so', async () => {
  const folder = await createMailbox('Not mine');
  await setRights(folder, 'anyone', 'lr');
  await setRights(folder, reader, 'lr');
  const entries = await list({ folder });
  expect(entries).toMatchObject([
    { failure: { code: 'ACCESS_LIST_INVALID', message: expect.stringContaining('right `a`') } },
  ]);
  expect(users.filter((user) => mayUserRead(user, entries[0]!))).toEqual([]);
  const places = [`imap://127.0.0.1:${server.port}`];
  const checked = await open(places).check(config({ folder }), new AbortController().signal);
  expect(checked.find(({ right }) => right === 'access')).toMatchObject({
    outcome: 'denied',
    code: 'ACCESS_LIST_INVALID',
  });
});

test('lists count only below the places of identity maps, and a flow that needs them fails elsewhere', async () => {
  const folder = await createMailbox('Covered');
  await createMailbox('Other');
  const place = `imap://127.0.0.1:${server.port}/public/covered`;
  const [entry] = await list({ folder }, [place]);
  expect(entry?.hasSourceRights).toBe(true);
  const [other] = await list({ folder: 'Public/Other' }, [place]);
  expect(other?.allowedUsers).toBeUndefined();
  await expect(list({ folder: 'Public/Other', rights: 'source' }, [place])).rejects.toMatchObject({
    code: 'SOURCE_RIGHTS_UNKNOWN',
  });
  expect(await list({ folder, rights: 'source' }, [place])).toHaveLength(1);
});
