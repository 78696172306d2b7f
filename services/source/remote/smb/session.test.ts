import { once } from 'node:events';
import net from 'node:net';
import { readSmbSettings } from '../../../../model/source/smb-source';
import { openShare } from './session';
import { statuses } from './status';

/** Servers that misbehave. Logins that succeed are tested with Samba (test/sources). */
const servers: net.Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

type Answer = { status: number; body: Buffer } | Buffer;

function frame(request: Buffer, { status, body }: Exclude<Answer, Buffer>): Buffer {
  const header = Buffer.from(request.subarray(0, 64));
  header.writeUInt32LE(status, 8);
  header.writeUInt32LE(1, 16);
  header.writeBigUInt64LE(9n, 40);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(64 + body.length);
  return Buffer.concat([length, header, body]);
}

/** Answers the requests of one connection in order, and records them. */
async function openAt(answers: readonly Answer[], more: object = {}) {
  const received: Buffer[] = [];
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      const answer = answers[received.length];
      received.push(chunk);
      if (answer) socket.write(Buffer.isBuffer(answer) ? answer : frame(chunk.subarray(4), answer));
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  const socket = net.connect(port, '127.0.0.1');
  const credentials = { username: 'ACME\\alice', password: 'right-password' };
  const settings = readSmbSettings({ host: '127.0.0.1', port, share: 'docs', credentials, ...more });
  return { received, opened: openShare(socket, settings) };
}

function negotiated({ dialect = 0x0302, capabilities = 0x40 } = {}): Answer {
  const body = Buffer.alloc(64);
  body.writeUInt16LE(dialect, 4);
  body.writeUInt32LE(capabilities, 24);
  return { status: 0, body };
}

function challenged(token = challenge()): Answer {
  const body = Buffer.alloc(8);
  body.writeUInt16LE(72, 4);
  body.writeUInt16LE(token.length, 6);
  return { status: statuses.moreProcessing, body: Buffer.concat([body, token]) };
}

function challenge(): Buffer {
  const message = Buffer.alloc(56);
  message.write('NTLMSSP\0', 'latin1');
  message.writeUInt32LE(2, 8);
  message.writeUInt32LE(48, 44);
  return message;
}
const signedIn = (flags: number): Answer => ({ status: 0, body: Buffer.from([9, 0, flags, 0, 72, 0, 0, 0]) });

test('a rejected sign-in reports the reason, and nothing about the password', async () => {
  const { opened } = await openAt([negotiated(), challenged(), { status: 0xc0000234, body: Buffer.alloc(8) }]);
  await expect(opened).rejects.toMatchObject({
    code: 'SOURCE_SIGN_IN_FAILED',
    message: expect.stringMatching(
      /^127\.0\.0\.1:\d+ does not accept these credentials \(the account is locked, 0xc0000234\)\.$/,
    ),
  });
});

test('a server that treats the account as a guest is rejected', async () => {
  const { opened } = await openAt([negotiated(), challenged(), signedIn(1)]);
  await expect(opened).rejects.toMatchObject({ code: 'SOURCE_SIGN_IN_FAILED' });
});

test('a server that does not know the password cannot sign and is rejected; it never receives the password', async () => {
  const { opened, received } = await openAt([negotiated(), challenged(), signedIn(0)]);
  await expect(opened).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  const sent = Buffer.concat(received);
  expect(sent.includes(Buffer.from('alice', 'utf16le'))).toBe(true);
  expect(sent.includes(Buffer.from('right-password', 'utf16le'))).toBe(false);
  expect(sent.includes('right-password')).toBe(false);
});

test.each([
  ['only signs', negotiated({ dialect: 0x0210 })],
  ['does not encrypt', negotiated({ capabilities: 0 })],
])('no sign-in is sent to a server that %s if encryption is required', async (_name, answer) => {
  const { opened, received } = await openAt([answer]);
  await expect(opened).rejects.toMatchObject({ code: 'CONNECTION_ERROR', details: { isFinal: true } });
  expect(received).toHaveLength(1);
});

test.each([
  ['no SMB', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['an endless answer', Buffer.from([0, 0xff, 0xff, 0xff])],
  ['a dialect that was not offered', negotiated({ dialect: 0x0311 })],
])('%s ends the connection', async (_name, answer) => {
  const { opened } = await openAt([answer]);
  await expect(opened).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:INVALID_RESPONSE|CONNECTION_ERROR)$/),
  });
});

test.each([
  ['of another kind', Buffer.from('NTLMSSP\0\u0003')],
  [
    'whose parts lie outside',
    Buffer.concat([challenge().subarray(0, 40), Buffer.from([255, 255, 255, 255, 9, 0, 0, 0])]),
  ],
])('a challenge %s is refused', async (_name, token) => {
  const { opened } = await openAt([negotiated(), challenged(token)]);
  await expect(opened).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
});
