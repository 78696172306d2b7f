import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { CodeExchange, DiscoveryDocument, ProviderList, ProviderName, TokenReply } from '../../model/login/wire';
import { computeDigest, createRandomSecret } from '../../services/login/login-states';
import { reply, route } from '../http/route';
import { createTokenReply, endFormerSession, recordLogin } from './auth';
import { formatLoginCookie, findLoginCookie } from './login-cookie';
import { explainInBrowser } from './login-failure';
import { validateRedirect, addCode } from './redirect-after';

/** How long an application may take to exchange a login code. */
const codeSeconds = 60;
const Redirect = Type.String({ contentMediaType: 'text/plain', description: 'Empty; see the header Location.' });
const provider = Type.Optional(ProviderName);
const defineShortText = (description: string) => Type.Optional(Type.String({ maxLength: 2048, description }));

export const oauth2Authorize = route({
  method: 'GET',
  path: '/auth/oauth2/authorize',
  operationId: 'beginLogin',
  summary: 'Sends the browser to the provider to log in.',
  description:
    'The login must be finished within OAUTH2_SESSION_EXPIRE_MINUTES. Limited to 60 requests per minute per client address.',
  auth: 'none',
  query: Type.Object({
    provider,
    redirect_after: defineShortText(
      'Where to redirect the browser after the login, with `code` in the query. An address of this server or of CORS_ORIGINS.',
    ),
  }),
  replies: { 307: Redirect },
  errors: [
    'NOT_FOUND',
    'TOO_MANY_REQUESTS',
    'EXTERNAL_SERVICE_ERROR',
    'CONNECTION_ERROR',
    'SERVICE_UNAVAILABLE',
    'DATABASE_UNAVAILABLE',
  ],
  handler: async ({ query, services, options, baseUrl, clientAddress, header }) => {
    const { oidc, loginStates, tokens } = services;
    const name = oidc.resolve(query.provider);
    tokens.requireSecret();
    services.authorizeLimit(clientAddress);
    const redirectAfter =
      query.redirect_after === undefined
        ? undefined
        : validateRedirect(query.redirect_after, baseUrl, options.corsOrigins);
    const [nonce, codeVerifier] = [createRandomSecret(), createRandomSecret()];
    // Two logins in two tabs share the cookie of their browser.
    const cookie = findLoginCookie(header('Cookie'), baseUrl) ?? createRandomSecret();
    const cookieDigest = computeDigest(cookie);
    const seconds = options.loginSeconds;
    const pending = { provider: name, nonce, codeVerifier, redirectAfter, cookieDigest };
    const state = await loginStates.put('state', pending, seconds);
    return explainInBrowser({ header, baseUrl, redirectAfter }, async () => {
      const Location = await oidc.buildAuthorizeAddress({ state, nonce, codeVerifier });
      return reply(307, '', { Location, 'Set-Cookie': formatLoginCookie(cookie, { baseUrl, seconds }) });
    });
  },
});

export const oauth2Callback = route({
  method: 'GET',
  path: '/auth/oauth2/callback',
  operationId: 'endLogin',
  audit: 'change',
  summary: 'Completes a login at the provider: returns a token, or redirects to the application.',
  description:
    'Only the browser that started the login can complete it, because it has the login cookie. With redirect_after, the browser is redirected there with a code in the query; POST /auth/oauth2/token exchanges the code once, within 60 seconds. If the login fails, a browser (`Accept: text/html`) is redirected there, or to the console, with `login_error` in the query: `expired`, `refused` or `unavailable`.',
  auth: 'none',
  query: Type.Object({
    state: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'The state that this server sent to the provider.',
    }),
    code: defineShortText('The code of the provider.'),
    error: defineShortText('Why the provider rejected the login.'),
    provider,
  }),
  replies: { 200: TokenReply, 307: Redirect },
  errors: [
    'UNAUTHORIZED',
    'FORBIDDEN',
    'NOT_FOUND',
    'EXTERNAL_SERVICE_ERROR',
    'CONNECTION_ERROR',
    'SERVICE_UNAVAILABLE',
    'DATABASE_UNAVAILABLE',
  ],
  handler: async ({ query, services, url, baseUrl, header, actsAs }) => {
    const { oidc, loginStates, tokens } = services;
    const name = oidc.resolve(query.provider);
    tokens.requireSecret();
    if (query.code === undefined && query.error === undefined) throw createInvalidError('code', 'is missing');
    const login = await loginStates.take('state', query.state);
    return explainInBrowser({ header, baseUrl, redirectAfter: login?.redirectAfter }, async () => {
      if (!login || login.provider !== name)
        throw createInvalidError('state', 'is unknown, used up or too old: log in again');
      const cookie = findLoginCookie(header('Cookie'), baseUrl) ?? '';
      if (computeDigest(cookie) !== login.cookieDigest)
        throw createInvalidError('state', 'belongs to a login that another browser started');
      const user = await oidc.finish(url.search, { ...login, state: query.state });
      actsAs(user.username);
      await recordLogin(user, services, 'provider');
      if (login.redirectAfter === undefined)
        return { access_token: tokens.issue(user, { isRecorded: true }), token_type: 'bearer' as const };
      // At this server's origin the browser sends the cookie, so nobody can log in another browser with their own code.
      const isOwn = new URL(login.redirectAfter).origin === new URL(baseUrl).origin;
      const claims = isOwn ? { user, cookieDigest: login.cookieDigest } : { user };
      const code = await loginStates.put('code', claims, codeSeconds);
      return reply(307, '', { Location: addCode(login.redirectAfter, code) });
    });
  },
});

export const oauth2Token = route({
  method: 'POST',
  path: '/auth/oauth2/token',
  operationId: 'exchangeCode',
  summary: 'Exchanges the code that was passed to redirect_after for a token.',
  description:
    'The code can be used once, within 60 seconds. If redirect_after is an address of this server, only by the browser that logged in.',
  auth: 'none',
  body: CodeExchange,
  replies: { 200: TokenReply },
  errors: ['UNAUTHORIZED', 'SERVICE_UNAVAILABLE', 'DATABASE_UNAVAILABLE'],
  handler: async ({ body, services, options, baseUrl, header, actsAs }) => {
    services.tokens.requireSecret();
    const login = await services.loginStates.take('code', body.code);
    const isOtherBrowser =
      login?.cookieDigest !== undefined &&
      login.cookieDigest !== computeDigest(findLoginCookie(header('Cookie'), baseUrl) ?? '');
    if (!login || isOtherBrowser)
      throw new AppError('UNAUTHORIZED', 'The code is unknown, used up or older than a minute.');
    actsAs(login.user.username);
    await endFormerSession(header('Cookie'), services, options.publicUrl);
    return createTokenReply(login.user, { services, baseUrl, via: 'provider' });
  },
});

export const oauth2Providers = route({
  method: 'GET',
  path: '/auth/oauth2/providers',
  operationId: 'listLoginProviders',
  summary: 'Lists the login providers. Empty if OAuth 2.0 is disabled or incompletely configured.',
  auth: 'none',
  replies: { 200: ProviderList },
  handler: ({ services }) => ({
    providers: services.oidc
      .listProviders()
      .map((item) => ({ ...item, authorize_url: `/auth/oauth2/authorize?provider=${item.name}` })),
  }),
});

export const oauth2Discovery = route({
  method: 'GET',
  path: '/auth/oauth2/discovery/{provider}',
  operationId: 'getLoginProvider',
  summary: "The provider's OpenID Connect metadata, as used by this server.",
  auth: 'none',
  params: Type.Object({ provider: Type.String() }),
  replies: { 200: DiscoveryDocument },
  errors: ['NOT_FOUND', 'EXTERNAL_SERVICE_ERROR', 'CONNECTION_ERROR', 'SERVICE_UNAVAILABLE'],
  handler: async ({ params, services: { oidc } }) => {
    oidc.resolve(params.provider);
    return oidc.readMetadata();
  },
});

function createInvalidError(name: string, problem: string): AppError {
  return new AppError('VALIDATION_ERROR', `Invalid ${name} parameter: it ${problem}.`, {
    target: { type: 'parameter', name },
  });
}
