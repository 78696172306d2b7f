import { connect, type Socket } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { NativeConnection } from '@temporalio/worker';
import { openTemporal } from '../../../services/temporal/client';
import type { TemporalTls } from '../../../services/temporal/tls';
import { signedCert, signedKey } from '../../support/servers/signed-certificate';
import { cert } from '../../support/servers/untrusted-certificate';

// The real Temporal behind a proxy that terminates TLS.
const [host = '127.0.0.1', port = '7233'] = (process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233').split(':');
const open = new Set<Socket>();
let heard: number;
let proxy: Server;
let address: string;

beforeEach(async () => {
  heard = 0;
  proxy = createServer({ cert: signedCert, key: signedKey, ALPNProtocols: ['h2'] }, (socket) => {
    const behind = connect(Number(port), host);
    for (const end of [socket, behind]) {
      open.add(end);
      end.on('error', () => undefined);
    }
    socket.on('data', (part) => (heard += part.length));
    socket.pipe(behind).pipe(socket);
  });
  proxy.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  address = `127.0.0.1:${(proxy.address() as { port: number }).port}`;
});
afterEach(async () => {
  for (const socket of open) socket.destroy();
  open.clear();
  await new Promise((resolve) => proxy.close(resolve));
});

/** Calls Temporal as the api does, then as a worker does; the errors of both, undefined where there is none. */
async function call(tls: TemporalTls): Promise<unknown[]> {
  const asApi = async () => {
    const { connection } = openTemporal({ address, tls, namespace: 'default' });
    try {
      await connection.withDeadline(Date.now() + 4_000, () => connection.workflowService.getSystemInfo({}));
    } finally {
      await connection.close();
    }
  };
  const asWorker = async () => {
    const connection = await NativeConnection.connect({ address, tls });
    await connection.close();
  };
  const outcomes = await Promise.allSettled([asApi(), asWorker()]);
  return outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : undefined));
}

test('api and worker reach Temporal by TLS if they trust the authority of its certificate', async () => {
  expect(await call({ serverRootCACertificate: Buffer.from(cert) })).toEqual([undefined, undefined]);
  expect(heard).toBeGreaterThan(0);
});

test.each([
  ['that no public authority signed', true],
  ['when they use no TLS', false],
] as const)('they send nothing to a server with a certificate %s', async (_name, tls) => {
  expect(await call(tls)).toEqual([expect.any(Error), expect.any(Error)]);
  expect(heard).toBe(0);
});
