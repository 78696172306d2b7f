import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { jwtVerify } from 'jose';
import { cachedServer, startListening } from './cached-server';

const version = '1.56.1';

/**
 * fake-gcs-server, an independent implementation of the JSON API, from the Go module proxy. It does not check credentials, so
 * a proxy in front of it accepts only tokens that the token server of the test has issued for a signed assertion.
 */
export interface GoogleStorage {
  /** The address of the proxy. */
  endpoint: string;
  /** The address of the server behind it, which checks no permissions. */
  behind: string;
  /** A key file that the token server accepts. */
  key: Record<string, string>;
  /** A key file with the same name from another key pair. */
  wrongKey: Record<string, string>;
  /** The number of issued tokens. */
  tokens(): number;
  /** Revokes all tokens issued so far. */
  revoke(): void;
  stop(): Promise<void>;
}

export async function startGoogleStorage(): Promise<GoogleStorage> {
  const folder = await cachedServer({
    folder: `fake-gcs-server-${version}`,
    needs: `Go, and the module github.com/fsouza/fake-gcs-server@v${version}`,
    async install(part, run) {
      const program = `github.com/fsouza/fake-gcs-server@v${version}`;
      await run('go', ['install', program], { cwd: part, env: { ...process.env, GOBIN: part } });
    },
  });
  const server = await startListening(({ port, data }) => ({
    file: path.join(folder, 'fake-gcs-server'),
    args: [
      '-scheme',
      'http',
      '-host',
      '127.0.0.1',
      '-port',
      String(port),
      '-filesystem-root',
      data,
      '-log-level',
      'error',
    ],
  }));
  const gate = await startGate(`http://127.0.0.1:${server.port}`);
  return {
    ...gate,
    async stop() {
      await gate.stop();
      await server.stop();
    },
  };
}

async function startGate(behind: string): Promise<GoogleStorage> {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const input = new Set<string>();
  let count = 0;
  const server = createServer((request, response) => {
    answer(request).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tokenUri = `${endpoint}/token`;

  async function answer(request: IncomingMessage): Promise<Answer> {
    const body = await getBytes(request);
    if (request.url === '/token') {
      const assertion = new URLSearchParams(body.toString()).get('assertion') ?? '';
      const isGood = await isSignedBy(pair.publicKey, assertion, tokenUri);
      if (!isGood) return json(400, { error: 'invalid_grant', error_description: `Invalid JWT: ${assertion}` });
      count += 1;
      const token = createHash('sha256').update(`${assertion}${count}`).digest('hex');
      input.add(token);
      return json(200, { access_token: token, expires_in: 3_600, token_type: 'Bearer' });
    }
    if (!input.has((request.headers.authorization ?? '').replace('Bearer ', '')))
      return json(401, { error: { code: 401, errors: [{ reason: 'authError', message: 'Invalid Credentials' }] } });
    const { method = 'GET', url = '/' } = request;
    const type = request.headers['content-type'];
    const passed = await fetch(`${behind}${url}`, {
      method,
      redirect: 'manual',
      ...(type === undefined ? {} : { headers: { 'content-type': type } }),
      ...(method === 'GET' || method === 'DELETE' ? {} : { body }),
    });
    const headers = { 'content-type': passed.headers.get('content-type') ?? 'application/octet-stream' };
    return { status: passed.status, headers, body: Buffer.from(await passed.arrayBuffer()) };
  }

  return {
    endpoint,
    behind,
    key: keyFile(pair.privateKey, tokenUri),
    wrongKey: keyFile(other.privateKey, tokenUri),
    tokens: () => count,
    revoke: () => input.clear(),
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

function json(status: number, value: object): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value)) };
}

function keyFile(key: KeyObject, tokenUri: string): Record<string, string> {
  return {
    type: 'service_account',
    client_email: 'reader@project.iam.gserviceaccount.com',
    private_key_id: 'key-1',
    private_key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    token_uri: tokenUri,
  };
}

async function isSignedBy(key: KeyObject, assertion: string, audience: string): Promise<boolean> {
  const claims = await jwtVerify(assertion, key, { audience, algorithms: ['RS256'] }).catch(() => undefined);
  return String(claims?.payload['scope']).startsWith('https://www.googleapis.com/auth/devstorage.');
}

async function getBytes(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
