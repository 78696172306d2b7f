import { createHash } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { ImapFlow } from 'imapflow';
import { membersOf } from '../../formats/members/members';
import { createAddressGuard } from '../../services/net/address-guard';
import type { SourceEntry } from '../../services/source/source';
import { createSources } from '../../services/source/sources';
import { type MailServer, startDovecot } from '../support/servers/dovecot';
import { cert, key } from '../support/servers/untrusted-certificate';
import { withParams } from '../support/sources/fixture';

/** The source imap on Dovecot. */
const { signal } = new AbortController();
const sources = createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']) });
let server: MailServer;
let client: ImapFlow;
let config: Record<string, unknown>;

beforeAll(async () => {
  server = await startDovecot();
  client = new ImapFlow({
    host: '127.0.0.1',
    port: server.port,
    secure: false,
    auth: { user: server.username, pass: server.password },
    logger: false,
    disableAutoIdle: true,
  });
  await client.connect();
}, 5 * 60_000);
afterAll(async () => {
  client.close();
  await server.stop();
});
beforeEach(async () => {
  for (const { path, flags } of await client.list())
    if (path !== 'INBOX' && !flags.has('\\Noselect')) await client.mailboxDelete(path);
  await inFolder('INBOX', () => client.messageDelete('1:*'));
  config = {
    provider: 'imap',
    connection_params: { host: '127.0.0.1', port: server.port, security: 'none' },
    credentials: { username: server.username, password: server.password },
  };
});

async function inFolder<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = await client.getMailboxLock(path);
  try {
    return await work();
  } finally {
    lock.release();
  }
}
const message = (subject: string, body = 'Text.') =>
  `From: bob@example.org\r\nTo: alice@example.org\r\nSubject: ${subject}\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${body}\r\n`;
const put = (folder: string, subject: string, body?: string) =>
  client.append(folder, Buffer.from(message(subject, body)), [], new Date('2026-03-04T05:06:07Z'));

async function list(input = config, from = sources): Promise<SourceEntry[]> {
  const entries: SourceEntry[] = [];
  for await (const entry of from.list('imap', input, signal)) entries.push(entry);
  return entries;
}
const read = (path: string, input = config) => sources.read('imap', path, input, signal);
const getPlaces = (entries: readonly SourceEntry[]) =>
  entries.map(({ name, metadata }) => `${String(metadata['folder'])}/${name}`);

test('messages of every folder are listed, in names of every script, the same twice', async () => {
  await client.mailboxCreate('Archive/Entwürfe 議事録');
  await put('INBOX', 'One');
  await put('INBOX', '=?utf-8?B?w5xiZXJzaWNodC8uLi8bWzMxbQ==?=');
  await put('Archive/Entwürfe 議事録', 'Deep');
  const entries = await list();
  expect(getPlaces(entries)).toEqual([
    'Archive/Entwürfe 議事録/Deep.eml',
    'INBOX/One.eml',
    'INBOX/Übersicht .. [31m.eml',
  ]);
  expect(entries[1]).toMatchObject({
    source: `imap:alice@127.0.0.1:${server.port}`,
    path: expect.stringMatching(/^imap:\/\/127\.0\.0\.1:\d+\/INBOX;UIDVALIDITY=\d+\/;UID=\d+$/),
    mimetype: 'message/rfc822',
    modifiedTime: '2026-03-04T05:06:07.000Z',
    size: message('One').length,
  });
  expect(await list()).toEqual(entries);
  for (const { path } of entries) {
    const bytes = await read(path);
    expect(Buffer.from(bytes).toString()).toContain('Subject: ');
    expect(await sources.hash('imap', path, config, signal)).toBe(createHash('sha256').update(bytes).digest('hex'));
  }
});

test('attachments of a listed message are found in its bytes, by the name of the document', async () => {
  const boundary = 'edge';
  const parts = [
    `Content-Type: text/plain\r\n\r\nSee the offer.`,
    `Content-Type: text/markdown\r\nContent-Disposition: attachment; filename="offer.md"\r\n\r\n# Offer`,
  ].map((part) => `--${boundary}\r\n${part}\r\n`);
  const head = `From: bob@example.org\r\nSubject: Offer\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=${boundary}\r\n\r\n`;
  await client.append('INBOX', Buffer.from(`${head}${parts.join('')}--${boundary}--\r\n`));
  const [entry] = await list();
  const members: string[] = [];
  for await (const member of membersOf(
    { name: entry?.name ?? '', bytes: await read(entry?.path ?? '') },
    { embedded: true },
  ))
    if ('bytes' in member) members.push(`${member.path}: ${Buffer.from(member.bytes).toString().trim()}`);
  expect(members).toEqual(['offer.md: # Offer']);
});

test('flags do not matter, and reading changes none', async () => {
  await put('INBOX', 'One');
  const before = await list();
  await read(before[0]?.path ?? '');
  const seen = () =>
    inFolder('INBOX', async () =>
      (await client.fetchAll('1:*', { flags: true })).map(({ flags }) => [...(flags ?? [])]),
    );
  expect((await seen()).flat()).not.toContain('\\Seen');
  await inFolder('INBOX', () => client.messageFlagsAdd('1:*', ['\\Seen', '\\Flagged']));
  expect(await list()).toEqual(before);
});

test('more messages than one portion are listed once each, in their order', async () => {
  for (let number = 0; number < 1_100; number += 1) await put('INBOX', `Number ${number}`);
  const entries = await list();
  expect(entries.map(({ name }) => name)).toEqual(Array.from({ length: 1_100 }, (_, number) => `Number ${number}.eml`));
});

test('after each message, the listing continues with the messages that followed it, unless the folder was created again', async () => {
  await client.mailboxCreate('Again');
  await client.mailboxCreate('Zoë');
  for (const folder of ['Again', 'INBOX', 'Zoë'])
    for (const subject of ['One', 'Two', 'Three']) await put(folder, subject);
  const entries = await list();
  const listAfter = async (cursor: string) => {
    const sourceEntries: SourceEntry[] = [];
    for await (const entry of sources.list('imap', config, signal, { after: cursor })) sourceEntries.push(entry);
    return sourceEntries;
  };
  for (const [at, { cursor = '' }] of entries.entries()) expect(await listAfter(cursor)).toEqual(entries.slice(at + 1));
  await client.mailboxDelete('Again');
  const [, second] = entries;
  expect(await listAfter(second?.cursor ?? '')).toEqual(entries.slice(3));
  await client.mailboxCreate('Again');
  await put('Again', 'New');
  expect(getPlaces(await listAfter(second?.cursor ?? ''))).toEqual(['Again/New.eml', ...getPlaces(entries.slice(3))]);
});

test('a deleted message is gone, and so is every message of a folder that was made again', async () => {
  await client.mailboxCreate('Again');
  await put('INBOX', 'Goes');
  await put('Again', 'First');
  const [again, goes] = await list();
  await inFolder('INBOX', () => client.messageDelete('1:*'));
  await client.mailboxDelete('Again');
  await client.mailboxCreate('Again');
  await inFolder('Again', async () => undefined);
  await put('Again', 'Second');
  const after = await list();
  expect(getPlaces(after)).toEqual(['Again/Second.eml']);
  expect(after[0]?.relativePath).not.toBe(again?.relativePath);
  for (const entry of [again, goes])
    await expect(read(entry?.path ?? '')).rejects.toMatchObject({ code: 'SOURCE_GONE' });
  await client.mailboxDelete('Again');
  await expect(read(after[0]?.path ?? '')).rejects.toMatchObject({ code: 'SOURCE_GONE' });
});

test('a folder limits what is listed and read; filters and sizes are those of the flow', async () => {
  await client.mailboxCreate('Work/Deep');
  await put('Work/Deep', 'In');
  await put('INBOX', 'Out', 'x'.repeat(5_000));
  const all = await list();
  const inWork = withParams(config, { folder: 'Work' });
  expect(getPlaces(await list(inWork))).toEqual(['Work/Deep/In.eml']);
  const outside = all.find(({ name }) => name === 'Out.eml')?.path ?? '';
  await expect(read(outside, inWork)).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
  expect(getPlaces(await list(withParams(config, { recursive: false })))).toEqual(['INBOX/Out.eml']);
  expect(getPlaces(await list(withParams(config, { exclude_filter: 'Work*' })))).toEqual(['INBOX/Out.eml']);
  const small = withParams(config, { max_file_size_mb: 0.001 });
  expect((await list(small)).find(({ name }) => name === 'Out.eml')?.failure?.code).toBe('SOURCE_TOO_LARGE');
  await expect(read(outside, small)).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
  for (const path of [
    '',
    '/etc/passwd',
    outside.replace('INBOX', '..%2FINBOX'),
    `${outside}0,1:*`,
    outside.replace(';UID', '\r\nz;UID'),
  ])
    await expect(read(path)).rejects.toMatchObject({ code: expect.stringMatching(/^SOURCE_(?:UNREADABLE|GONE)$/) });
  await expect(list(withParams(config, { folder: 'None' }))).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND' });
});

test('the check answers each right; a wrong password is refused and never repeated', async () => {
  await put('INBOX', 'One');
  const outcomes = async (input: Record<string, unknown>, from = sources) => {
    const rights = await from.check(input, signal);
    expect(JSON.stringify(rights)).not.toContain('wrong-password');
    return Object.fromEntries(rights.map(({ right, outcome }) => [right, outcome]));
  };
  expect(await outcomes(config)).toEqual({
    reach: 'granted',
    sign_in: 'granted',
    list: 'granted',
    read: 'granted',
    access: 'granted',
  });
  const wrong = { ...config, credentials: { username: 'alice', password: 'wrong-password' } };
  expect(await outcomes(wrong)).toMatchObject({ reach: 'granted', sign_in: 'denied' });
  await expect(list(wrong)).rejects.toMatchObject({
    code: 'SOURCE_SIGN_IN_FAILED',
    message: expect.not.stringContaining('wrong-password'),
  });
  expect(await outcomes(config, createSources({ roots: [] }))).toMatchObject({ reach: 'denied', sign_in: 'unknown' });
});

test('a password is not sent over a connection that is not encrypted, or to a server with an untrusted certificate', async () => {
  const plain = withParams(config, { security: 'starttls' });
  server.before.length = 0;
  await expect(list(plain)).rejects.toMatchObject({ code: 'CONNECTION_ERROR' });
  expect(server.before).not.toContain('LOGIN');
  const received: string[] = [];
  const other = tls.createServer({ cert, key }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => received.push(String(chunk)));
    socket.write('* OK Ready\r\n');
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as net.AddressInfo;
  await expect(list(withParams(config, { security: 'tls', port }))).rejects.toMatchObject({ code: 'CONNECTION_ERROR' });
  expect(received).toEqual([]);
  other.close();
});

test('the connection to a server that answers endlessly is closed', async () => {
  const endless = net.createServer((socket) => {
    socket.on('error', () => undefined);
    const line = Buffer.from('x'.repeat(1024 * 1024));
    const send = () => void (socket.writable && socket.write(line, send));
    socket.write('* OK ');
    send();
  });
  endless.listen(0, '127.0.0.1');
  await once(endless, 'listening');
  const { port } = endless.address() as net.AddressInfo;
  await expect(list(withParams(config, { port }))).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  endless.close();
});

test('a cancelled listing ends', async () => {
  const cancelled = AbortSignal.abort(new Error('cancelled'));
  const entries = sources.list('imap', config, cancelled);
  await expect(entries[Symbol.asyncIterator]().next()).rejects.toThrow('cancelled');
});
