import { isIP } from 'node:net';
import type { Config } from '../../model/config';

/**
 * The names by which clients reach the api. A browser that is shown a page of a foreign name sends that name, even when it
 * has come to resolve to this server (DNS rebinding), so a name must be known before it is answered.
 */
export function hostNamesOf(
  config: Pick<Config, 'DOCLOOM_HOST_NAMES' | 'DOCLOOM_HOST' | 'DOCLOOM_PUBLIC_URL' | 'OAUTH2_REDIRECT_URI'>,
): string[] {
  const addresses = [config.DOCLOOM_PUBLIC_URL, config.OAUTH2_REDIRECT_URI].flatMap((address) =>
    address && URL.canParse(address) ? [new URL(address).hostname] : [],
  );
  return [...config.DOCLOOM_HOST_NAMES, config.DOCLOOM_HOST, ...addresses];
}

/** Whether a Host header may be answered: an address, `localhost`, or one of the names, with any port; `*` stands for all names. */
export function createHostCheck(names: readonly string[]): (host: string) => boolean {
  const known = new Set(['localhost', ...names.map(plainName)]);
  if (known.has('*')) return () => true;
  return (host) => {
    const address = `http://${host}`;
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (!url || url.username !== '' || url.pathname !== '/') return false;
    const name = plainName(url.hostname);
    return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || known.has(name);
  };
}

/** Whether a page of this origin may open a WebSocket: one of this server, or of the listed origins; clients other than browsers send none. */
export function isOriginAllowed(
  origin: string | undefined,
  { host, origins }: { host: string | undefined; origins: readonly string[] },
): boolean {
  if (origin === undefined || origins.includes('*') || origins.includes(origin)) return true;
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

const plainName = (name: string) => name.trim().toLowerCase().replace(/\.$/, '');
