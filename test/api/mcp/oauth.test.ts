import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { readConfig } from '../../../model/config';
import { createAgentLogins } from '../../../services/login/agent-logins';
import { startApi, type TestApi } from '../../support/api/server';

// An agent logs in at the provider by itself: it discovers the provider from the API, and returns with an access token for
// this installation.
const resource = 'http://127.0.0.1/mcp';
let provider: Server;
let issuer: string;
let api: TestApi;
let sign: (claims: Record<string, unknown>, audience: string) => Promise<string>;

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' };
  provider = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => provider.once('listening', resolve));
  issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  sign = (claims, audience) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime('5m')
      .sign(privateKey);
  const config = readConfig({
    OAUTH2_ENABLED: 'true',
    OAUTH2_CLIENT_ID: 'client',
    OAUTH2_REDIRECT_URI: 'http://127.0.0.1/auth/oauth2/callback',
    OAUTH2_DISCOVERY_URL: issuer,
    DOCLOOM_OAUTH2_RESOURCE: resource,
  });
  const readMetadata = async () => ({ issuer, jwks_uri: `${issuer}/keys` });
  api = await startApi({ agentLogins: createAgentLogins(config, { readMetadata }) });
});
afterAll(async () => {
  await api.close();
  provider.close();
});

const ask = (token?: string, path = '/mcp') =>
  fetch(`${api.url}${path}`, {
    method: path === '/mcp' ? 'POST' : 'GET',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    },
    ...(path === '/mcp' ? { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }) } : {}),
  });

test('a client without a token receives the address of the metadata, which names the provider', async () => {
  const response = await ask();
  expect(response.status).toBe(401);
  expect(response.headers.get('WWW-Authenticate')).toBe(
    'Bearer resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource/mcp"',
  );
  for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
    const metadata = await ask(undefined, path);
    expect(metadata.status).toBe(200);
    expect(await metadata.json()).toMatchObject({ resource, authorization_servers: [issuer] });
  }
});

test('a token of the provider acts as its user, at /mcp only', async () => {
  const token = await sign({ sub: 'alice' }, resource);
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit }));
  const { content } = await client.callTool({ name: 'search_documents', arguments: { query: 'invoice' } });
  expect(JSON.stringify(content)).toContain('of-alice');
  await client.close();
  for (const path of ['/auth/me', '/api/v1/flows']) expect((await ask(token, path)).status).toBe(401);
});

test('a token of the provider cannot act as a service account', async () => {
  const response = await ask(await sign({ sub: 'service:reports' }, resource));
  expect(response.status).toBe(401);
});

test('tokens for other audiences and unknown tokens are rejected as invalid', async () => {
  for (const token of [
    await sign({ sub: 'alice' }, 'client'),
    await sign({ sub: 'alice' }, 'http://127.0.0.1/other'),
    'x.y.z',
  ]) {
    const response = await ask(token);
    expect(response.status).toBe(401);
    expect(response.headers.get('WWW-Authenticate')).toContain('error="invalid_token"');
  }
});

test('without a provider, neither metadata nor a reference to it exists', async () => {
  const plain = await startApi();
  expect((await fetch(`${plain.url}/.well-known/oauth-protected-resource`)).status).toBe(404);
  const response = await fetch(`${plain.url}/mcp`, { method: 'POST', body: '{}' });
  expect(response.headers.get('WWW-Authenticate')).toBe('Bearer');
  await plain.close();
});
