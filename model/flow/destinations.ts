import { toSnakeCase } from './secrets';

/** Names of members whose values are hosts or addresses, even without a scheme. */
const addressName =
  /(?:^|_)(?:hosts?|hostname|servers?|address(?:es)?|endpoints?|endpoint_url|api_base|base_url|urls?|uris?|sitemaps?|proxy|proxies)$/;
const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** A host named in a configuration; `host` is in the normal form of the URL parser. */
export interface Destination {
  host: string;
  port: string;
}

/**
 * All hosts named in a value: addresses anywhere, and texts in members with names such as `host`. A text that is not a valid
 * address becomes a destination with that text as its host, which no allow list will match.
 */
export function listDestinations(value: unknown): Destination[] {
  return findDestinations(value, '', '');
}

/** True when an entry (`host`, `host:port`, `*.domain`, `operator:NAME`) allows the destination. */
export function allowsDestination(entries: readonly string[], { host, port }: Destination): boolean {
  return entries.some((entry) => {
    if (host.startsWith('operator:')) return entry.trim() === host;
    const [, name = '', portText] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry.trim().toLowerCase()) ?? [];
    if (portText !== undefined && portText !== port) return false;
    return name.startsWith('*.') ? host.endsWith(name.slice(1)) : name !== '' && name === host;
  });
}

function findDestinations(value: unknown, name: string, port: string): Destination[] {
  if (typeof value === 'string') {
    if (value.trim() === '') return [];
    if (value.includes('://')) return [parseDestination(value.trim(), port)];
    return addressName.test(toSnakeCase(name)) ? [parseDestination(`host://${value.trim()}`, port)] : [];
  }
  if (Array.isArray(value)) return value.flatMap((item: unknown) => findDestinations(item, name, port));
  if (typeof value !== 'object' || value === null) return [];
  const portValue = (value as { port?: unknown }).port;
  const siblingPort = typeof portValue === 'number' || typeof portValue === 'string' ? String(portValue) : '';
  return Object.entries(value).flatMap(([member, inner]) => findDestinations(inner, member, siblingPort));
}

function parseDestination(text: string, siblingPort: string): Destination {
  // The URL parser does not normalize hosts of unknown schemes. With http it resolves numeric and full-width forms.
  const address = text.replace(/^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i, 'http://');
  if (!URL.canParse(address)) return { host: text, port: '' };
  const { hostname, port, protocol } = new URL(address);
  const portText = /^https?:/i.test(text) ? (defaultPorts[protocol] ?? '') : siblingPort;
  return { host: hostname, port: port || portText };
}
