import { AppError } from '../../model/errors';

/**
 * The address to return to after a login, absolute. Its origin must be our own or one of the listed ones, letter for
 * letter; `*` in the list allows browsers to call, not to be sent anywhere.
 */
export function checkedRedirect(text: string, baseUrl: string, corsOrigins: readonly string[]): string {
  const address = URL.canParse(text, baseUrl) ? new URL(text, baseUrl) : undefined;
  const allowed = [new URL(baseUrl).origin, ...corsOrigins];
  const isWeb = address?.protocol === 'https:' || address?.protocol === 'http:';
  if (address && isWeb && address.username === '' && allowed.includes(address.origin)) return address.href;
  throw new AppError(
    'VALIDATION_ERROR',
    'redirect_after must lead to an allowed origin: this server or one of CORS_ORIGINS.',
    { target: { type: 'parameter', name: 'redirect_after' } },
  );
}

/** The address with a code for `POST /auth/oauth2/token` in its query; never with a token. */
export function withCode(address: string, code: string): string {
  const target = new URL(address);
  target.searchParams.set('code', code);
  return target.href;
}
