import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { readConfig } from '../../../model/config';
import { createDirectory } from '../../../services/login/directory';
import { cert, key } from '../../support/servers/untrusted-certificate';

/** Data that a server read from one connection, before and after the TLS handshake. */
interface Heard {
  plain: Buffer[];
  secured: Buffer[];
}
const startTlsOid = '1.3.6.1.4.1.1466.20037';
// An extended response (0x78) with result code 0 to the message of that number.
const startTlsDone = (message: number) => Buffer.from([0x30, 0x0c, 2, 1, message, 0x78, 7, 0x0a, 1, 0, 4, 0, 4, 0]);

const open = new Set<Socket>();
const servers: Server[] = [];
afterEach(async () => {
  for (const socket of open) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

async function getPort(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

function startTlsServer(heard: Heard): Server {
  return createServer((socket) => {
    socket.once('data', (request) => {
      heard.plain.push(request);
      socket.write(startTlsDone(request[4] ?? 0));
      const secured = new TLSSocket(socket, { isServer: true, cert, key });
      secured.on('data', (part: Buffer) => heard.secured.push(part));
      secured.on('error', () => undefined);
    });
  });
}

const login = (server: string, useSsl: boolean) =>
  createDirectory({ ...readConfig(process.env), LDAP_SERVER: server, LDAP_USE_SSL: useSsl }).login(
    'alice',
    'alice-secret',
  );
const untrusted = expect.objectContaining({
  code: 'SERVICE_UNAVAILABLE',
  message: expect.stringMatching(/self-signed certificate/),
});

test('StartTLS with an untrusted certificate ends before a name or password is sent', async () => {
  const heard: Heard = { plain: [], secured: [] };
  const port = await getPort(startTlsServer(heard));
  await expect(login(`ldap://127.0.0.1:${port}`, true)).rejects.toEqual(untrusted);
  expect(Buffer.concat(heard.plain).toString('latin1')).toContain(startTlsOid);
  expect(Buffer.concat(heard.plain).toString('latin1')).not.toMatch(/alice|admin/);
  expect(heard.secured).toEqual([]);
});

test('ldaps with an untrusted certificate ends before a name or password is sent', async () => {
  const heard: Buffer[] = [];
  const server = createTlsServer({ cert, key }, (socket) => {
    socket.on('data', (part: Buffer) => heard.push(part));
    socket.on('error', () => undefined);
  });
  server.on('tlsClientError', () => undefined);
  const port = await getPort(server);
  await expect(login(`ldaps://localhost:${port}`, false)).rejects.toEqual(untrusted);
  expect(heard).toEqual([]);
});
