import { ApiError } from '../client/api-error';
import { createClient } from '../client/client';

export { ApiError };

const ended = new Set<() => void>();

/** Calls `listener` when the server rejects the session. */
export function onSessionEnd(listener: () => void): () => void {
  ended.add(listener);
  return () => void ended.delete(listener);
}

/**
 * Sends with the session cookie. Write requests carry the CSRF token, which only pages of this server can read; the
 * conversion service requires it in every request.
 */
export const sendWithSession: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  const csrf = /(?:^|; )(?:__Host-)?docloom_csrf=([\w-]+)/.exec(document.cookie)?.[1];
  const address = input instanceof Request ? input.url : String(input);
  const isWrite = init?.method !== undefined && init.method !== 'GET';
  if (csrf && (isWrite || address.startsWith(`${location.origin}/v1/`))) headers.set('X-CSRF-Token', csrf);
  const response = await fetch(input, { ...init, headers, credentials: 'same-origin' });
  if (response.status === 401 && !address.includes('/auth/') && !address.startsWith(`${location.origin}/v1/`))
    for (const listener of ended) listener();
  return response;
};

/** The api of the server that sent this page. */
export const api = createClient({ baseUrl: location.origin, fetch: sendWithSession });

/** True if the reply means that the resource does not exist for this user. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 403);
}
