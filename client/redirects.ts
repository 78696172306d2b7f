import { ApiError } from './api-error';

/**
 * Throws when the server answers with a redirect, which the client never follows: tokens, keys and documents go to the given
 * address only. The request must have been sent with `redirect: 'manual'`.
 */
export function refuseRedirect(response: Response, base: string): void {
  const isRedirect = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400);
  if (!isRedirect || response.status === 304) return;
  const location = response.headers.get('Location');
  const target = location !== null && URL.canParse(location, base) ? ` to ${new URL(location, base).origin}` : '';
  throw new ApiError(
    'INVALID_RESPONSE',
    response.status,
    `${base} redirects${target}, which is not followed: credentials are sent to the given address only. Use the final address of the API.`,
  );
}
