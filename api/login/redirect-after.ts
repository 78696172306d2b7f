import { AppError } from '../../model/errors';

/**
 * The absolute address to return to after a login. Its origin must be that of this server or exactly one of the listed ones. `*` in the list
 * allows cross-origin calls but no redirects.
 */
export function validateRedirect(text: string, baseUrl: string, corsOrigins: readonly string[]): string {
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

/** Adds a code for `POST /auth/oauth2/token` to the query of the address; never a token. */
export function addCode(address: string, code: string): string {
  const target = new URL(address);
  target.searchParams.set('code', code);
  return target.href;
}
