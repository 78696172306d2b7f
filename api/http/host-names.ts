import { isIP } from 'node:net';
import type { Config } from '../../model/config';

/**
 * The host names of the api. After DNS rebinding, a browser sends the attacker's host name to this server, so only known names
 * are served.
 */
export function listHostNames(
  config: Pick<Config, 'DOCLOOM_HOST_NAMES' | 'DOCLOOM_HOST' | 'DOCLOOM_PUBLIC_URL' | 'OAUTH2_REDIRECT_URI'>,
): string[] {
  const addresses = [config.DOCLOOM_PUBLIC_URL, config.OAUTH2_REDIRECT_URI].flatMap((address) =>
    address && URL.canParse(address) ? [new URL(address).hostname] : [],
  );
  return [...config.DOCLOOM_HOST_NAMES, config.DOCLOOM_HOST, ...addresses];
}

/** Creates a check for Host headers. Accepts addresses, `localhost`, and the names, with any port; `*` accepts all names. */
export function createHostCheck(names: readonly string[]): (host: string) => boolean {
  const allowedNames = new Set(['localhost', ...names.map(toPlainName)]);
  if (allowedNames.has('*')) return () => true;
  return (host) => {
    const address = `http://${host}`;
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (!url || url.username !== '' || url.pathname !== '/') return false;
    const name = toPlainName(url.hostname);
    return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || allowedNames.has(name);
  };
}

/**
 * True when a page of this origin may open a WebSocket: pages of this server or of a listed origin. Clients other than browsers
 * send no origin.
 */
export function isOriginAllowed(
  origin: string | undefined,
  { host, origins }: { host: string | undefined; origins: readonly string[] },
): boolean {
  if (origin === undefined || origins.includes('*') || origins.includes(origin)) return true;
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/** In lower case, without the dot that may end a full name. */
function toPlainName(name: string): string {
  return name.trim().toLowerCase().replace(/\.$/, '');
}
