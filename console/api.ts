import { ApiError } from '../client/api-error';
import { createClient } from '../client/client';
import { watchServer } from './reachability';

export { ApiError };

const sessionEndListeners = new Set<() => void>();

/** Calls `listener` when the server rejects the session. Returns a function that ends the subscription. */
export function onSessionEnd(listener: () => void): () => void {
  sessionEndListeners.add(listener);
  return () => void sessionEndListeners.delete(listener);
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
  const isConversion = address.startsWith(`${location.origin}/v1/`);
  if (csrf && (isWrite || isConversion)) headers.set('X-CSRF-Token', csrf);
  const response = await fetch(input, { ...init, headers, credentials: 'same-origin' }).catch((error: unknown) => {
    const isCancelled = error instanceof DOMException && error.name === 'AbortError';
    if (!isCancelled) void watchServer();
    throw error;
  });
  if (response.status === 401 && !address.includes('/auth/') && !isConversion)
    for (const listener of sessionEndListeners) listener();
  return response;
};

/** The API of the server that sent this page. */
export const api = createClient({ baseUrl: location.origin, fetch: sendWithSession });

/** True if the reply means that the resource does not exist for this user. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 403);
}
