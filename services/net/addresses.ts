import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Loopback, private, link-local (with the metadata services of clouds), shared, documentation, multicast and reserved networks.
 */
const forbidden = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/127',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/32',
  '2001:2::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:db8::/32',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];
const forbiddenNetworks = new BlockList();
for (const entry of forbidden) addNetwork(forbiddenNetworks, entry);

/**
 * Normalises a host as the URL parser does: lower case, without brackets, zone and trailing dots. Numbers (`2130706433`,
 * `0x7f.1`), full-width digits and dots become the address that they mean. Returns the text unchanged when the parser rejects it.
 */
export function toPlainHost(host: string): string {
  const bare = host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/%.*$/, '');
  const address = `http://${isIP(bare) === 6 ? `[${bare}]` : bare}`;
  const parsed = URL.canParse(address) ? new URL(address) : undefined;
  const isHostOnly = parsed && parsed.username === '' && parsed.port === '' && parsed.pathname === '/';
  const name = isHostOnly ? parsed.hostname.replace(/^\[(.*)\]$/, '$1') : bare;
  return name.replace(/(?<=.)\.+$/, '');
}

/** True for every non-public address. */
export function isPrivateAddress(address: string): boolean {
  return contains(forbiddenNetworks, address);
}

/** True for addresses of this machine: loopback, unspecified, and those of its network interfaces. */
export function isThisMachine(address: string): boolean {
  if (contains(loopback, address)) return true;
  const judged = unwrapAddress(address);
  return Object.values(networkInterfaces()).some((list) =>
    list?.some((info) => unwrapAddress(info.address) === judged),
  );
}

/** True when both hosts have the same name. Every name and address of the loopback interface counts as `localhost`. */
export function isSameHost(value: string, other: string): boolean {
  const getName = (host: string) => {
    const name = toPlainHost(host);
    return isIP(name) !== 0 && contains(loopback, name) ? 'localhost' : name;
  };
  return getName(value) === getName(other);
}

const loopback = new BlockList();
for (const entry of ['127.0.0.0/8', '0.0.0.0/8', '::/127']) addNetwork(loopback, entry);

/** True when a network of the list contains the address, or the IPv4 address embedded in it. */
export function contains(list: BlockList, address: string): boolean {
  const judged = unwrapAddress(address);
  return list.check(judged, isIP(judged) === 6 ? 'ipv6' : 'ipv4');
}

/** Adds an address or a network such as `10.0.0.0/8`. Returns false when the text is neither. */
export function addNetwork(list: BlockList, entry: string): boolean {
  const [address = '', prefix] = entry.split('/');
  const version = isIP(address);
  const bits = version === 6 ? 128 : 32;
  if (prefix !== undefined && !/^\d+$/.test(prefix)) return false;
  const length = Number(prefix ?? bits);
  if (version === 0 || length > bits) return false;
  list.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4');
  return true;
}

/** The canonical form of an address: the IPv4 address embedded in an IPv6 address, else its eight groups. */
export function unwrapAddress(address: string): string {
  const plain = address.replace(/%.*$/, '');
  if (isIP(plain) !== 6) return plain;
  return (
    findEmbeddedIPv4(plain) ??
    expand(plain)
      .map((group) => group.toString(16))
      .join(':')
  );
}

/** The IPv4 address embedded in a mapped, compatible, translated, 6to4 or ISATAP address. */
function findEmbeddedIPv4(address: string): string | undefined {
  const groups = expand(address);
  const [first, second = 0, third = 0, , fifth, sixth, high = 0, low = 0] = groups;
  const isZero = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0);
  // ::ffff:192.0.2.1 (mapped); ::192.0.2.1 (compatible), but not :: and ::1.
  if (isZero(0, 5) && sixth === 0xffff) return formatIPv4(high, low);
  if (isZero(0, 6) && (high !== 0 || low > 1)) return formatIPv4(high, low);
  // ::ffff:0:192.0.2.1 and 64:ff9b::192.0.2.1 (translated)
  if (isZero(0, 4) && fifth === 0xffff && sixth === 0) return formatIPv4(high, low);
  if (first === 0x64 && second === 0xff9b && isZero(2, 6)) return formatIPv4(high, low);
  // 2002:c000:201:: (6to4)
  if (first === 0x2002) return formatIPv4(second, third);
  // ….::5efe:192.0.2.1 and …:200:5efe:192.0.2.1 (ISATAP)
  if ((fifth === 0 || fifth === 0x200) && sixth === 0x5efe) return formatIPv4(high, low);
  return undefined;
}

function formatIPv4(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
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
