import { BlockList, isIP, isIPv6 } from 'node:net';
import { AppError } from '../../model/errors';

/**
 * Determines the client address of a request. Trusts `X-Forwarded-For` only as far as trusted proxies wrote it: from its right
 * end to the first address that is not a proxy. Throws INVALID_CONFIGURATION for an invalid address or network.
 */
export function createClientAddress(
  trustedProxies: readonly string[],
): (socketAddress: string, forwardedFor: string | undefined) => string {
  const trusted = parseNetworks(trustedProxies);
  return (socketAddress, forwardedFor) => {
    const hops = [...(forwardedFor ?? '').split(','), socketAddress].map(toPlainAddress).filter(Boolean);
    let client = toPlainAddress(socketAddress);
    while (hops.length > 0 && isIP(hops.at(-1) ?? '')) {
      client = hops.pop() ?? client;
      if (!trusted.check(client, isIP(client) === 6 ? 'ipv6' : 'ipv4')) break;
    }
    return client;
  };
}

/** Removes blanks and port. Converts an IPv4 address in IPv6 notation, as from a dual-stack socket, back to IPv4. */
function toPlainAddress(text: string): string {
  const address = text
    .trim()
    .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  return isIPv6(address) ? (findMappedIPv4(address) ?? address) : address;
}

/** The IPv4 address of `::ffff:198.51.100.7` or `::ffff:c633:6407`. Other forms, such as 6to4, are addresses of other machines. */
function findMappedIPv4(address: string): string | undefined {
  const [host = ''] = address.split('%');
  const [, high, low] = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(new URL(`http://[${host}]`).hostname) ?? [];
  if (high === undefined || low === undefined) return undefined;
  return [high, low].flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]).join('.');
}

function parseNetworks(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', length] = entry.split('/');
    const version = isIP(address);
    const maxBits = version === 6 ? 128 : 32;
    const bits = length === undefined ? maxBits : Number(length);
    if (version === 0 || length === '' || !Number.isInteger(bits) || bits < 0 || bits > maxBits) {
      throw new AppError(
        'INVALID_CONFIGURATION',
        `DOCLOOM_TRUSTED_PROXIES has the entry '${entry}', which is not an address or network.`,
      );
    }
    list.addSubnet(address, bits, version === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
