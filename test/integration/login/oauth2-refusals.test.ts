import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import jwt from 'jsonwebtoken';
import { readConfig } from '../../../model/config';
import { createOidc, type Oidc } from '../../../services/login/oidc';

const key = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 });
const secrets = { state: 's'.repeat(43), nonce: 'n'.repeat(43), codeVerifier: 'v'.repeat(43) };
const clientSecret = 'a client secret that is also an HMAC key';

/** The answers of the provider, which a test can falsify in every way. */
let idToken: string | undefined;
let answer: { status: number; body: string } | undefined;
let metadata: Record<string, unknown>;
let server: Server;
let issuer: string;
let oidc: Oidc;

beforeAll(async () => {
  server = createServer((request, response) => {
    const json = (body: unknown) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(body));
    };
    if (request.url?.startsWith('/.well-known/')) return json(metadata);
    if (request.url === '/jwks')
      return json({ keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] });
    if (request.url !== '/token') return void response.writeHead(404).end();
    if (answer) {
      response.setHeader('Content-Type', 'application/json');
      return void response.writeHead(answer.status).end(answer.body);
    }
    return json({ access_token: 'opaque', token_type: 'bearer', id_token: idToken });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  answer = undefined;
  metadata = {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
  };
  oidc = createOidc(
    readConfig({
      OAUTH2_ENABLED: 'true',
      OAUTH2_CLIENT_ID: 'docloom',
      OAUTH2_CLIENT_SECRET: clientSecret,
      OAUTH2_REDIRECT_URI: 'http://docloom.test/auth/oauth2/callback',
      OAUTH2_DISCOVERY_URL: `${issuer}/.well-known/openid-configuration`,
    }),
    () => new Date(),
  );
});

const now = () => Math.floor(Date.now() / 1000);
const claims = (change: Record<string, unknown> = {}) => ({
  iss: issuer,
  aud: 'docloom',
  sub: 'user-1',
  iat: now(),
  exp: now() + 60,
  nonce: secrets.nonce,
  preferred_username: 'nora',
  email: 'nora@example.org',
  name: 'Nora',
  ...change,
});
const signed = (body: object, by: KeyObject = key.privateKey, options: jwt.SignOptions = {}) =>
  jwt.sign(body, by, { algorithm: 'RS256', keyid: 'one', ...options });
const finish = (token: string | undefined, search = `?code=c&state=${secrets.state}`) => {
  idToken = token;
  return oidc.finish(search, secrets);
};
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a valid ID token is accepted', async () => {
  expect(await finish(signed(claims()))).toEqual({
    username: 'nora',
    email: 'nora@example.org',
    full_name: 'Nora',
    groups: [],
  });
});

test.each<[string, () => string | undefined]>([
  ['of another issuer', () => signed(claims({ iss: 'https://elsewhere.example' }))],
  ['for another client', () => signed(claims({ aud: 'another' }))],
  ['for several clients, with another authorized party', () => signed(claims({ aud: ['docloom', 'b'], azp: 'b' }))],
  ['of another login', () => signed(claims({ nonce: 'another' }))],
  ['without a nonce', () => signed(claims({ nonce: undefined }))],
  ['that has expired', () => signed(claims({ iat: now() - 600, exp: now() - 300 }))],
  ['without a subject', () => signed(claims({ sub: undefined }))],
  ['signed by another key of the same name', () => signed(claims(), otherKey.privateKey)],
  ['signed by a key that is not published', () => signed(claims(), otherKey.privateKey, { keyid: 'two' })],
  ['signed with the secret of the client', () => jwt.sign(claims(), clientSecret, { keyid: 'one' })],
  ['without a signature', () => `${encode({ alg: 'none' })}.${encode(claims())}.`],
  [
    'with a claim changed',
    () => signed(claims()).replace(/\.[^.]+\./, `.${encode(claims({ preferred_username: 'x' }))}.`),
  ],
  ['whose name is blank', () => signed(claims({ preferred_username: ' ', sub: ' ', email_verified: false }))],
  ['that is missing', () => undefined],
])('an ID token %s is rejected with UNAUTHORIZED', async (_name, make) => {
  await expect(finish(make())).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

test('a query with a state of another login is rejected', async () => {
  await expect(finish(signed(claims()), '?code=c&state=another')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

test.each([
  ['a server error', { status: 503, body: '{}' }, 'EXTERNAL_SERVICE_ERROR'],
  ['text that is not JSON', { status: 200, body: '<html>' }, 'EXTERNAL_SERVICE_ERROR'],
  ['a refused code', { status: 400, body: '{"error":"invalid_grant"}' }, 'UNAUTHORIZED'],
  ['a refused client', { status: 400, body: '{"error":"invalid_client"}' }, 'EXTERNAL_SERVICE_ERROR'],
])('a token endpoint that answers with %s', async (_name, input, code) => {
  answer = input;
  await expect(finish(undefined)).rejects.toMatchObject({ code });
});

test('metadata of another issuer, or without endpoints, are rejected', async () => {
  metadata = { ...metadata, issuer: 'https://elsewhere.example' };
  await expect(oidc.buildAuthorizeAddress(secrets)).rejects.toMatchObject({ code: 'EXTERNAL_SERVICE_ERROR' });
});

test('error texts of the provider are not repeated unless they are a code', async () => {
  const user = finish(undefined, `?error=${encodeURIComponent('<b>call 555</b>')}&state=${secrets.state}`);
  await expect(user).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
    message: 'The provider refused the login: an unknown error.',
  });
});
