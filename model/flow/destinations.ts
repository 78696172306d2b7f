import { snakeCase } from './secrets';

/** Names of members whose texts are hosts or addresses, also where no scheme stands before them. */
const addressName =
  /(?:^|_)(?:hosts?|hostname|servers?|address(?:es)?|endpoints?|endpoint_url|api_base|base_url|urls?|uris?|sitemaps?|proxy|proxies)$/;
const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** A host that a configuration names; `host` is as a URL parser writes it. */
export interface Destination {
  host: string;
  port: string;
}

/**
 * Every host that the value names: addresses wherever they stand, and texts in members named like `host`. What cannot be
 * read as an address is a destination of that name, which no list of hosts will hold.
 */
export function destinationsOf(value: unknown): Destination[] {
  return found(value, '', '');
}

/** True when one of the entries (`host`, `host:port`, `*.domain`, `operator:NAME`) admits the destination. */
export function admits(entries: readonly string[], { host, port }: Destination): boolean {
  return entries.some((entry) => {
    if (host.startsWith('operator:')) return entry.trim() === host;
    const [, name = '', own] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry.trim().toLowerCase()) ?? [];
    if (own !== undefined && own !== port) return false;
    return name.startsWith('*.') ? host.endsWith(name.slice(1)) : name !== '' && name === host;
  });
}

function found(value: unknown, name: string, port: string): Destination[] {
  if (typeof value === 'string') {
    if (value.trim() === '') return [];
    if (value.includes('://')) return [read(value.trim(), port)];
    return addressName.test(snakeCase(name)) ? [read(`host://${value.trim()}`, port)] : [];
  }
  if (Array.isArray(value)) return value.flatMap((item: unknown) => found(item, name, port));
  if (typeof value !== 'object' || value === null) return [];
  const own = (value as { port?: unknown }).port;
  const beside = typeof own === 'number' || typeof own === 'string' ? String(own) : '';
  return Object.entries(value).flatMap(([member, inner]) => found(inner, member, beside));
}

function read(text: string, beside: string): Destination {
  // Schemes that the parser does not know keep a host as it is written; http reads numbers and wide letters as they act.
  const address = text.replace(/^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i, 'http://');
  if (!URL.canParse(address)) return { host: text, port: '' };
  const { hostname, port, protocol } = new URL(address);
  const usual = /^https?:/i.test(text) ? (defaultPorts[protocol] ?? '') : beside;
  return { host: hostname, port: port || usual };
}
