import { lookup as resolveName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { AppError } from '../../model/errors';

/** Keeps flows from reaching addresses inside the operator's network. Public addresses pass, private ones need an entry. */
export interface AddressGuard {
  /** ADDRESS_NOT_ALLOWED for a forbidden address written as such; a name is judged when it is resolved, by `lookup`. */
  check(host: string): void;
  /**
   * For `http.request` and agents: resolves a name and refuses it when any of its addresses is forbidden. Because the
   * connection goes to the very addresses that were judged, a name cannot change its meaning in between.
   */
  lookup: LookupFunction;
}

/** Loopback, private, link-local (with the metadata services of clouds), shared, documentation, multicast, reserved. */
const forbidden = networks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/127',
  '64:ff9b:1::/48',
  '100::/64',
  '2001:db8::/32',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]);

/**
 * A guard with the operator's allow-list: host names (exact, any letter case), addresses, networks (`10.0.0.0/8`).
 * `localhost` stands for the loopback addresses too. A name on the list may resolve to anything.
 */
export function createAddressGuard(
  allowedHosts: readonly string[],
  resolve: typeof resolveName = resolveName,
): AddressGuard {
  const names = new Set<string>();
  const allowed: string[] = [];
  for (const entry of allowedHosts.map(plainHost)) {
    if (entry.includes('/') || isIP(entry)) allowed.push(entry);
    else names.add(entry);
    if (entry === 'localhost') allowed.push('127.0.0.0/8', '::1');
  }
  const allowedNetworks = networks(allowed);

  function isAllowed(address: string): boolean {
    const judged = embeddedIPv4(address) ?? address;
    const family = isIP(judged) === 6 ? 'ipv6' : 'ipv4';
    return allowedNetworks.check(judged, family) || !forbidden.check(judged, family);
  }

  return {
    check(host) {
      const name = plainHost(host);
      if (isIP(name) && !names.has(name) && !isAllowed(name)) throw refusal(host, name);
    },
    lookup(hostname, options, callback) {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, '');
        const bad = names.has(plainHost(hostname)) ? undefined : addresses.find(({ address }) => !isAllowed(address));
        const first = addresses[0];
        if (bad || !first) return callback(refusal(hostname, bad?.address ?? 'no address'), '');
        if (options.all) return callback(null, addresses);
        return callback(null, first.address, first.family);
      });
    },
  };
}

function refusal(host: string, address: string): AppError {
  const meaning = host === address ? 'is' : `resolves to ${address},`;
  return new AppError(
    'ADDRESS_NOT_ALLOWED',
    `The host '${host}' ${meaning} a private or reserved address. The operator of this server can allow it by DOCLOOM_ALLOWED_HOSTS.`,
  );
}

/** Without brackets, zone and trailing dot, in lower case. */
function plainHost(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/%.*$/, '')
    .replace(/\.$/, '');
}

/** The IPv4 address inside a mapped (`::ffff:`), translated (`64:ff9b::`) or 6to4 (`2002:`) IPv6 address. */
function embeddedIPv4(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined;
  const groups = expand(address);
  const v4 = (high: number, low: number) => [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const isZero = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0);
  const [first = 0, second = 0, third = 0] = groups;
  const high = groups[6] ?? 0;
  const low = groups[7] ?? 0;
  if (isZero(0, 5) && (groups[5] === 0xffff || (groups[5] === 0 && (high !== 0 || low > 1)))) return v4(high, low);
  if (isZero(0, 4) && groups[4] === 0xffff && groups[5] === 0) return v4(high, low);
  if (first === 0x64 && second === 0xff9b && isZero(2, 6)) return v4(high, low);
  if (first === 0x2002) return v4(second, third);
  return undefined;
}

/** The eight groups of a valid IPv6 address. */
function expand(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const hex = (high: string | undefined, low: string | undefined) => ((Number(high) << 8) | Number(low)).toString(16);
  const text = dotted ? `${dotted[1]}${hex(dotted[2], dotted[3])}:${hex(dotted[4], dotted[5])}` : address;
  const [head = '', tail] = text.split('::');
  const parse = (part: string) =>
    part
      .split(':')
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16));
  const before = parse(head);
  const after = parse(tail ?? '');
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

function networks(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const version = isIP(address);
    const length = Number(prefix ?? (version === 6 ? 128 : 32));
    if (version === 0 || !Number.isInteger(length) || length < 0 || length > (version === 6 ? 128 : 32)) {
      throw new AppError(
        'INVALID_CONFIGURATION',
        `DOCLOOM_ALLOWED_HOSTS has the entry '${entry}', which is no host name, address or network.`,
      );
    }
    list.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
