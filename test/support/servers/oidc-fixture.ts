import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export const redirectUri = 'http://docloom.test/auth/oauth2/callback';
export const clientSecret = 'the secret of the client, long enough';

/** A real provider whose users log in without a form. */
export interface TestProvider {
  url: string;
  /** Requested paths, in order. */
  asked: string[];
  /** The user who logs in next. */
  account: Record<string, unknown>;
  /** Replaces the keys; the former ones are invalid at once. */
  rotateKeys(): void;
  /** If true, the user denies the login at the provider. */
  refuses: boolean;
  /** Closes the server until it is opened again. */
  close(): Promise<void>;
  open(): Promise<void>;
}

/** Starts the provider on a separate port, in this process. */
export async function startProvider(redirectUris: readonly string[] = [redirectUri]): Promise<TestProvider> {
  let server = createServer();
  await listen(server, 0);
  const port = (server.address() as AddressInfo).port;
  const url = `http://127.0.0.1:${port}`;
  const state: TestProvider = {
    url,
    asked: [],
    account: {},
    refuses: false,
    rotateKeys: () => {
      provider = newProvider(state, redirectUris);
    },
    close: () => closed(server),
    open: async () => {
      server = createServer(handle);
      await listen(server, port);
    },
  };
  let provider = newProvider(state, redirectUris);
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    state.asked.push((request.url ?? '').replace(/\?.*/, ''));
    if (request.url?.startsWith('/interaction/')) void interact(provider, state, request, response);
    else provider.callback()(request, response);
  };
  server.on('request', handle);
  return state;
}

function newProvider(state: TestProvider, redirectUris: readonly string[]): Provider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return new Provider(state.url, {
    clients: [
      { client_id: 'docloom', client_secret: clientSecret, redirect_uris: [...redirectUris] },
      {
        client_id: 'docloom-post',
        client_secret: clientSecret,
        redirect_uris: [...redirectUris],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomUUID()] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    claims: { openid: ['sub', 'groups'], profile: ['name', 'preferred_username'], email: ['email', 'email_verified'] },
    findAccount: (_context: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...state.account }) }),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    ttl: { AccessToken: 60, AuthorizationCode: 60, IdToken: 60, Grant: 60, Interaction: 60, Session: 60 },
  });
}

async function interact(
  provider: Provider,
  state: TestProvider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (state.refuses) return provider.interactionFinished(request, response, { error: 'access_denied' });
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: 'user-1' } });
  }
  const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params['client_id']) });
  grant.addOIDCScope('openid profile email');
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

/** Follows the provider's redirects as a browser does, until it leaves for the redirect URI. */
export async function browse(address: string, end = redirectUri): Promise<URL> {
  const jar = new Map<string, string>();
  let next = address;
  for (let step = 0; step < 10 && !next.startsWith(end); step += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      jar.set(name, value);
    }
    const location = response.headers.get('Location');
    if (!location) throw new Error(`${next} answered ${response.status}: ${(await response.text()).slice(0, 500)}`);
    next = new URL(location, next).href;
  }
  return new URL(next);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
