import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import jwt from 'jsonwebtoken';
import pino from 'pino';
import { buildOptions } from '../../../api/main';
import { describeConfig, readConfig, settings } from '../../../model/config';
import { createModelCatalogue } from '../../../services/llm/model-catalogue';
import { createOidc } from '../../../services/login/oidc';
import { readConfiguredProvider, type ProviderSettings } from '../../../services/login/oidc-settings';
import { createTokens } from '../../../services/login/tokens';
import { createLog } from '../../../services/process/log';
import { createRunStats } from '../../../services/run/stats';
import { createSearch } from '../../../services/search/search';
import { alice, startApi } from '../../support/api/server';
import { cert, key } from '../../support/servers/untrusted-certificate';
import { cleanUp, record, spec } from '../../support/system/search-fixture';

/**
 * One test per variable of the specification: its documented effect. Variables of LDAP, files and statistics have their own
 * suites.
 */
const never = new AbortController().signal;
const servers: Server[] = [];
afterAll(async () => {
  for (const server of servers) server.close();
  await cleanUp();
});
async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return String((server.address() as AddressInfo).port);
}
/** A search server that answers every search without hits, and records the requests. */
async function searchServer(secure = false, answer?: (request: IncomingMessage) => number) {
  const messages: IncomingMessage[] = [];
  const handle: Parameters<typeof createServer>[1] = (request, response) => {
    messages.push(request);
    request.resume();
    response.writeHead(answer?.(request) ?? 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ hits: { total: { value: 0 }, hits: [] }, responses: [], error: { type: 't', reason: 'r' } }),
    );
  };
  const server = secure ? createTlsServer({ cert, key }, handle) : createServer(handle);
  return { asked: messages, port: await listening(server) };
}
async function searchWith(env: Record<string, string>) {
  const search = createSearch(readConfig({ SEARCH_HOST: '127.0.0.1', ...env }));
  const result = await search.search(alice, { query: 'x' }).catch((error: unknown) => error as { code: string });
  await search.close();
  return result;
}
const failed = (code: string) => expect.objectContaining({ code });

describe('search index', () => {
  test('SEARCH_HOST and SEARCH_PORT: its address', async () => {
    const { asked, port } = await searchServer();
    expect(await searchWith({ SEARCH_HOST: 'localhost', SEARCH_PORT: port })).toMatchObject({ total: 0 });
    expect(asked[0]?.headers.host).toBe(`localhost:${port}`);
  });
  test('SEARCH_USE_SSL and SEARCH_VERIFY_CERTS: HTTPS, and which certificates are accepted', async () => {
    const { port } = await searchServer(true);
    const env = { SEARCH_PORT: port, SEARCH_USE_SSL: 'true' };
    expect(await searchWith(env)).toEqual(failed('SEARCH_CONNECTION_FAILED'));
    expect(await searchWith({ ...env, SEARCH_VERIFY_CERTS: 'false' })).toMatchObject({ total: 0 });
  });
  test('SEARCH_USERNAME and SEARCH_PASSWORD: the credentials', async () => {
    const { asked, port } = await searchServer();
    await searchWith({ SEARCH_PORT: port, SEARCH_USERNAME: 'reader', SEARCH_PASSWORD: 'of books' });
    const basic = Buffer.from('reader:of books').toString('base64');
    expect(asked[0]?.headers.authorization).toBe(`Basic ${basic}`);
  });
  test('SEARCH_DEFAULT_INDEX: the searched index', async () => {
    const { asked, port } = await searchServer();
    await searchWith({ SEARCH_PORT: port, SEARCH_DEFAULT_INDEX: 'library' });
    expect(asked[0]?.url).toMatch(/^\/library\//);
  });
  test('SEARCH_MAX_RETRIES: further attempts of a bulk write', async () => {
    for (const retries of [0, 2]) {
      const { asked, port } = await searchServer(false, () => 503);
      const search = createSearch(readConfig({ SEARCH_PORT: port, SEARCH_MAX_RETRIES: String(retries) }));
      const writing = search.bulkIndex('index', [record('a')], undefined, never);
      await expect(writing).rejects.toEqual(failed('SEARCH_CONNECTION_FAILED'));
      expect(asked).toHaveLength(1 + retries);
      await search.close();
    }
  });
  test('SEARCH_TIMEOUT: seconds of one attempt of a bulk write', async () => {
    const port = await listening(createServer(() => {}));
    const search = createSearch(readConfig({ SEARCH_PORT: port, SEARCH_TIMEOUT: '1', SEARCH_MAX_RETRIES: '0' }));
    const from = Date.now();
    const writing = search.bulkIndex(spec('slow').name, [record('a')], undefined, never);
    await expect(writing).rejects.toEqual(failed('SEARCH_CONNECTION_FAILED'));
    expect(Date.now() - from).toBeGreaterThan(900);
    expect(Date.now() - from).toBeLessThan(5_000);
    await search.close();
  });
});

describe('logins by a provider', () => {
  const env = {
    OAUTH2_ENABLED: 'true',
    OAUTH2_PROVIDER: 'generic',
    OAUTH2_CLIENT_ID: 'docloom',
    OAUTH2_CLIENT_SECRET: 'of the client',
    OAUTH2_REDIRECT_URI: 'https://docloom.example:8443/auth/oauth2/callback',
    OAUTH2_DISCOVERY_URL: 'https://login.example/realm/.well-known/openid-configuration',
  };
  const provider = (change: Record<string, string | undefined> = {}): ProviderSettings => {
    const settings = readConfiguredProvider(readConfig({ ...env, ...change }));
    if ('problem' in settings) throw new Error(settings.problem);
    return settings.provider;
  };
  const missing = (change: Record<string, string | undefined>) => () => provider(change);

  test('OAUTH2_ENABLED: the switch', () => {
    const providers = (value: string) =>
      createOidc(readConfig({ ...env, OAUTH2_ENABLED: value }), () => new Date()).listProviders();
    expect(providers('true')).toHaveLength(1);
    expect(providers('false')).toEqual([]);
  });
  test.each([
    ['google', 'https://accounts.google.com/'],
    ['azure', 'https://login.microsoftonline.com/tenant/v2.0'],
    ['generic', 'https://login.example/realm'],
  ])('OAUTH2_PROVIDER: %s', (kind, issuer) => {
    expect(provider({ OAUTH2_PROVIDER: kind, OAUTH2_AZURE_TENANT_ID: 'tenant' }).issuer.href).toBe(issuer);
  });
  test('OAUTH2_CLIENT_ID and OAUTH2_CLIENT_SECRET: client credentials', () => {
    expect(provider()).toMatchObject({ clientId: 'docloom', clientSecret: 'of the client' });
    expect(missing({ OAUTH2_CLIENT_ID: undefined })).toThrow('OAUTH2_CLIENT_ID');
    expect(missing({ OAUTH2_PROVIDER: 'google', OAUTH2_CLIENT_SECRET: undefined })).toThrow('OAUTH2_CLIENT_SECRET');
  });
  test('OAUTH2_REDIRECT_URI: the callback, unchanged', () => {
    expect(provider().redirectUri.href).toBe(env.OAUTH2_REDIRECT_URI);
    expect(missing({ OAUTH2_REDIRECT_URI: undefined })).toThrow('OAUTH2_REDIRECT_URI');
  });
  test('OAUTH2_DISCOVERY_URL: the discovery document of the generic provider', () => {
    expect(provider().discoveryUrl?.href).toBe(env.OAUTH2_DISCOVERY_URL);
  });
  test('OIDC_ISSUER and OIDC_AUDIENCE: the required issuer and audience of tokens', () => {
    const settings = provider({ OIDC_ISSUER: 'https://issuer.example/', OIDC_AUDIENCE: 'documents' });
    expect(settings).toMatchObject({ audience: 'documents' });
    expect(settings.issuer.href).toBe('https://issuer.example/');
  });
  test('OAUTH2_JWKS_URI: the address of the keys', () => {
    expect(provider({ OAUTH2_JWKS_URI: 'https://keys.example/jwks' }).given).toEqual({
      jwks_uri: 'https://keys.example/jwks',
    });
  });
  test('OAUTH2_SESSION_EXPIRE_MINUTES: the maximum duration of a login, 60 by default', () => {
    const log = pino({ level: 'silent' });
    expect(buildOptions(readConfig({}), log).loginSeconds).toBe(3_600);
    expect(buildOptions(readConfig({ OAUTH2_SESSION_EXPIRE_MINUTES: '5' }), log).loginSeconds).toBe(300);
  });
});

describe('tokens', () => {
  const secret = 'a secret of at least thirty-two characters';
  const issued = (env: Record<string, string>) => {
    const config = readConfig(env);
    const { JWT_SECRET_KEY, JWT_ACCESS_TOKEN_EXPIRE_MINUTES: expireMinutes } = config;
    return createTokens({ secret: JWT_SECRET_KEY, expireMinutes }).issue(alice);
  };
  test('JWT_SECRET_KEY: signs the tokens, and must be strong', () => {
    expect(() => jwt.verify(issued({ JWT_SECRET_KEY: secret }), secret)).not.toThrow();
    expect(() => issued({})).toThrow('JWT_SECRET_KEY');
    expect(() => readConfig({ JWT_SECRET_KEY: 'short' })).toThrow('at least 32');
  });
  test('JWT_ACCESS_TOKEN_EXPIRE_MINUTES: their lifetime, 30 by default', () => {
    const lifetime = (env: Record<string, string>) => {
      const { iat = 0, exp = 0 } = jwt.decode(issued({ JWT_SECRET_KEY: secret, ...env })) as jwt.JwtPayload;
      return exp - iat;
    };
    expect(lifetime({})).toBe(30 * 60);
    expect(lifetime({ JWT_ACCESS_TOKEN_EXPIRE_MINUTES: '5' })).toBe(5 * 60);
  });
});

describe('other variables', () => {
  test('CORS_ORIGINS: comma-separated allowed origins, by default a local front end on port 3000', async () => {
    const allowed = async (env: Record<string, string>, origin: string) => {
      const { corsOrigins } = buildOptions(readConfig(env), pino({ level: 'silent' }));
      const api = await startApi({}, { corsOrigins });
      const response = await fetch(`${api.url}/health`, { headers: { Origin: origin } });
      await api.close();
      return response.headers.get('Access-Control-Allow-Origin');
    };
    expect(await allowed({}, 'http://localhost:3000')).toBe('http://localhost:3000');
    const env = { CORS_ORIGINS: 'https://one.example, https://two.example' };
    expect(await allowed(env, 'https://two.example')).toBe('https://two.example');
    expect(await allowed(env, 'http://localhost:3000')).toBeNull();
  });
  test.each([
    ['DEBUG', 'debug'],
    ['INFO', 'info'],
    ['WARNING', 'warn'],
    ['ERROR', 'error'],
    ['CRITICAL', 'fatal'],
  ])('DS_LOG_LEVEL: %s', (value, level) => {
    expect(createLog(readConfig({ DS_LOG_LEVEL: value }).DS_LOG_LEVEL, {}).level).toBe(level);
  });
  test('DS_LOG_LEVEL: INFO by default, and no invalid level', () => {
    expect(readConfig({}).DS_LOG_LEVEL).toBe('INFO');
    expect(() => readConfig({ DS_LOG_LEVEL: 'LOUD' })).toThrow('one of DEBUG, INFO, WARNING, ERROR, CRITICAL');
  });
  test('LOCALMODEL_HOST: the host whose models the local provider lists', async () => {
    const requests: string[] = [];
    const port = await listening(
      createServer((request, response) => {
        requests.push(request.url ?? '');
        response.setHeader('content-type', 'application/json');
        response.end('{"models":[]}');
      }),
    );
    const models = createModelCatalogue(readConfig({ LOCALMODEL_HOST: `http://127.0.0.1:${port}` }));
    expect(await models.list('localmodel')).toEqual([]);
    expect(requests.length).toBeGreaterThan(0);
    models.close();
    expect(readConfig({}).LOCALMODEL_HOST).toBe('http://127.0.0.1:11434');
  });
  test('HOSTEDMODEL_API_BASE_URL: required by the hosted provider, which lists its models', async () => {
    const requests: string[] = [];
    const port = await listening(
      createServer((request, response) => {
        requests.push(request.url ?? '');
        response.setHeader('content-type', 'application/json');
        response.end('{"resources":[]}');
      }),
    );
    const without = createModelCatalogue(readConfig({}));
    await expect(without.list('hostedmodel')).rejects.toEqual(failed('MISSING_CONFIGURATION'));
    without.close();
    const models = createModelCatalogue(readConfig({ HOSTEDMODEL_API_BASE_URL: `http://127.0.0.1:${port}/base` }));
    expect(await models.list('hostedmodel')).toEqual([]);
    expect(requests[0]).toMatch(/^\/base\//);
    models.close();
  });
  test('PIPE_FRAMEWORK_TYPE: only temporal', () => {
    expect(readConfig({ PIPE_FRAMEWORK_TYPE: 'temporal' }).PIPE_FRAMEWORK_TYPE).toBe('temporal');
    expect(() => readConfig({ PIPE_FRAMEWORK_TYPE: 'threads' })).toThrow('PIPE_FRAMEWORK_TYPE');
  });
  test('PIPE_STORAGE_BACKEND: mongodb, filesystem or postgres', async () => {
    const mongo = { collection: () => ({}) } as never;
    for (const backend of ['mongodb', 'filesystem', 'postgres'])
      await createRunStats(readConfig({ PIPE_STORAGE_BACKEND: backend }), mongo).close();
    expect(() => readConfig({ PIPE_STORAGE_BACKEND: 'paper' })).toThrow('PIPE_STORAGE_BACKEND');
  });
});

test('docloom config prints value and origin of each variable of the specification, secrets masked', () => {
  const named = [
    ...['OAUTH2_ENABLED', 'OAUTH2_PROVIDER', 'OAUTH2_CLIENT_ID', 'OAUTH2_CLIENT_SECRET', 'OAUTH2_REDIRECT_URI'],
    ...['JWT_SECRET_KEY', 'OAUTH2_DISCOVERY_URL', 'OIDC_ISSUER', 'OIDC_AUDIENCE', 'OAUTH2_JWKS_URI'],
    ...['JWT_ACCESS_TOKEN_EXPIRE_MINUTES', 'OAUTH2_SESSION_EXPIRE_MINUTES', 'CORS_ORIGINS'],
    ...['SEARCH_HOST', 'SEARCH_PORT', 'SEARCH_USE_SSL', 'SEARCH_VERIFY_CERTS', 'SEARCH_USERNAME', 'SEARCH_PASSWORD'],
    ...['SEARCH_DEFAULT_INDEX', 'SEARCH_TIMEOUT', 'SEARCH_MAX_RETRIES', 'DS_LOG_LEVEL'],
    ...['PROJECT_REPOSITORY_BASE_DIR', 'PIPE_STORAGE_BACKEND', 'PIPE_FRAMEWORK_TYPE', 'PIPE_JOB_STATS_BASE_DIR'],
    ...['PIPE_POSTGRES_HOST', 'PIPE_POSTGRES_PORT', 'PIPE_POSTGRES_DB', 'PIPE_POSTGRES_USER', 'PIPE_POSTGRES_PASSWORD'],
    ...['LOCALMODEL_HOST', 'HOSTEDMODEL_API_BASE_URL'],
  ];
  expect(Object.keys(settings)).toEqual(expect.arrayContaining(named));
  const variables = new Map(
    describeConfig({ SEARCH_PASSWORD: 'hidden', SEARCH_HOST: 'here' }).map((item) => [item.name, item]),
  );
  expect(variables.get('SEARCH_PASSWORD')).toMatchObject({ value: '********', origin: 'environment' });
  expect(variables.get('SEARCH_HOST')).toMatchObject({ value: 'here', origin: 'environment' });
  expect(variables.get('SEARCH_TIMEOUT')).toMatchObject({ value: '30', origin: 'default' });
  expect(variables.get('SEARCH_MAX_RETRIES')).toMatchObject({ value: '3', origin: 'default' });
  expect(variables.get('OIDC_ISSUER')).toMatchObject({ value: '', origin: 'not set' });
});
