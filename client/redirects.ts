import { ApiError } from './api-error';

/**
 * Throws when the server answers with a redirect, which the client never follows: tokens, keys and documents go to the given
 * address only. To be called with responses of requests with `redirect: 'manual'`.
 */
export function refuseRedirect(response: Response, base: string): void {
  const isRedirect = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400);
  if (!isRedirect || response.status === 304) return;
  const place = response.headers.get('Location');
  const target = place !== null && URL.canParse(place, base) ? ` to ${new URL(place, base).origin}` : '';
  throw new ApiError(
    'INVALID_RESPONSE',
    response.status,
    `${base} redirects${target}, which is not followed: credentials are sent to the given address only. Use the final address of the API.`,
  );
}
