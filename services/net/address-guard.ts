import { type LookupAddress, lookup as resolveName } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { AppError } from '../../model/errors';
import type { NetworkRules, OwnServer } from '../../model/network-rules';
import { addNetwork, contains, innerAddress, isPrivateAddress, isThisMachine, plainHost } from './addresses';

/**
 * Keeps flows, requests and documents from reaching addresses inside the operator's network. Public addresses pass, private
 * ones need an entry, and the servers of this installation are reached by their own clients only.
 */
export interface AddressGuard {
  /**
   * The addresses to connect to. ADDRESS_INVALID for a name that does not exist, unless the operator's list has it (its server
   * may still come), and for a port that cannot be; ADDRESS_NOT_ALLOWED when any of them is forbidden, so a connection must go to the very
   * addresses that it gives: a name that is resolved again may mean something else.
   */
  judge(host: string, port: number): Promise<LookupAddress[]>;
}

/** How long the addresses of this installation's servers are remembered. */
const freshMs = 10_000;

/**
 * A guard with the operator's allow-list: host names (exact, any letter case), addresses and networks (`10.0.0.0/8`), each
 * with a port (`models.internal:8000`, `[fd00::5]:443`) or, for all ports, without. `localhost` stands for the loopback
 * addresses too. A name on the list may resolve to anything but a server of this installation.
 */
export function createAddressGuard(
  rules: NetworkRules | readonly string[],
  resolve: typeof resolveName = resolveName,
): AddressGuard {
  const { allowed, own }: NetworkRules = 'own' in rules ? rules : { allowed: rules, own: [] };
  const entries = allowed.map(entryOf);
  const isOwn = createOwnCheck(own, (host) => addressesOf(host, resolve));
  const mayReach = (name: string, address: string, port: number) =>
    !isPrivateAddress(address) ||
    entries.some(
      (entry) => (entry.port ?? port) === port && (entry.name === name || contains(entry.networks, address)),
    );

  return {
    async judge(host, port) {
      const name = plainHost(host);
      if (!Number.isInteger(port) || port < 1 || port > 65_535)
        throw new AppError(
          'ADDRESS_INVALID',
          `The host '${host}' is named with the port ${port}; ports are 1 to 65535.`,
        );
      const addresses = await addressesOf(name, resolve).catch((error: NodeJS.ErrnoException) => {
        const isListed =
          entries.some((entry) => entry.name === name) || own.some((server) => plainHost(server.host) === name);
        throw isUnknown(error) && !isListed ? unknownHost(host, error) : error;
      });
      const bad = addresses.find(({ address }) => !mayReach(name, address, port));
      if (bad) throw refusal(host, port, bad.address);
      if (await isOwn(name, addresses, port)) throw ownRefusal(host, port);
      return addresses;
    },
  };
}

/** The name server says that there is no such name; that it cannot be asked now has other codes. */
function isUnknown({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ENOTFOUND' || code === 'ENODATA';
}

function unknownHost(host: string, cause: Error): AppError {
  return new AppError('ADDRESS_INVALID', `The host '${host}' does not exist: its name has no address.`, {}, cause);
}

async function addressesOf(name: string, resolve: typeof resolveName): Promise<LookupAddress[]> {
  const family = isIP(name);
  if (family !== 0) return [{ address: name, family }];
  return await new Promise((take, fail) => {
    resolve(name, { all: true }, (error, addresses) => {
      if (error) fail(error);
      else if (addresses.length === 0) fail(new Error(`The name '${name}' has no address.`));
      else take(addresses);
    });
  });
}

/** Whether a name or one of its addresses is a server of this installation. All addresses of this machine are one. */
function createOwnCheck(own: readonly OwnServer[], addressesOf: (host: string) => Promise<LookupAddress[]>) {
  const known = new Map<string, { until: number; addresses: Promise<string[]> }>();
  const ownAddresses = async (host: string): Promise<string[]> => {
    const found = known.get(host);
    if (found && found.until > Date.now()) return await found.addresses;
    // A name that cannot be resolved now leads nobody to that server, but may do so at the next question.
    const addresses = addressesOf(host).then(
      (list) => list.map(({ address }) => address),
      () => {
        known.delete(host);
        return [];
      },
    );
    known.set(host, { until: Date.now() + freshMs, addresses });
    return await addresses;
  };
  return async (name: string, addresses: readonly LookupAddress[], port: number): Promise<boolean> => {
    for (const server of own.filter((one) => one.port === port)) {
      const host = plainHost(server.host);
      const theirs = await ownAddresses(host);
      const asked = addresses.filter(({ address }) => !server.onlyPrivate || isPrivateAddress(address));
      if (asked.length === 0) continue;
      if (host === name || asked.some(({ address }) => theirs.some((one) => isSame(one, address)))) return true;
    }
    return false;
  };
}

function isSame(one: string, other: string): boolean {
  return innerAddress(one) === innerAddress(other) || (isThisMachine(one) && isThisMachine(other));
}

interface Entry {
  name?: string;
  networks: BlockList;
  /** Every port where it is absent. */
  port?: number;
}

/** An entry of the allow-list. INVALID_CONFIGURATION for what is no host, network, or one of them with a port. */
function entryOf(text: string): Entry {
  const { host, port } = splitPort(text.trim());
  const networks = new BlockList();
  const ports = port === undefined ? {} : { port };
  const isPort = port === undefined || (Number.isInteger(port) && port >= 1 && port <= 65_535);
  const name = host.includes('/') ? host.toLowerCase() : plainHost(host);
  if (isPort && addNetwork(networks, name)) return { networks, ...ports };
  if (!isPort || name === '' || /[\s@:/]/.test(name)) throw badEntry(text);
  if (name === 'localhost') for (const network of ['127.0.0.0/8', '::1']) addNetwork(networks, network);
  return { name, networks, ...ports };
}

function splitPort(text: string): { host: string; port?: number } {
  const [, inside, after] = /^\[(.*)\](?::(.*))?$/.exec(text) ?? [];
  if (inside !== undefined) return { host: inside, ...(after === undefined ? {} : { port: portOf(after) }) };
  const parts = text.split(':');
  const [host = '', port] = parts;
  // More than one colon is an IPv6 address without brackets, to which no port can be added.
  return parts.length === 2 && port !== undefined ? { host, port: portOf(port) } : { host: text };
}

const portOf = (text: string) => (/^\d+$/.test(text) ? Number(text) : Number.NaN);

function badEntry(entry: string): AppError {
  return new AppError(
    'INVALID_CONFIGURATION',
    `DOCLOOM_ALLOWED_HOSTS has the entry '${entry}'; expected a host name, an address or a network, with or without a port, as in models.internal:8000, [fd00::5]:443 or 10.0.0.0/8.`,
  );
}

function refusal(host: string, port: number, address: string): AppError {
  const meaning = plainHost(host) === address ? 'is' : `resolves to ${address},`;
  return new AppError(
    'ADDRESS_NOT_ALLOWED',
    `The host '${host}' ${meaning} a private or reserved address. The operator of this server can allow it with the entry ${entryText(host, port)} in DOCLOOM_ALLOWED_HOSTS.`,
  );
}

function ownRefusal(host: string, port: number): AppError {
  return new AppError(
    'ADDRESS_NOT_ALLOWED',
    `The host '${host}' with port ${port} is a server of this installation, which flows and requests cannot reach. DOCLOOM_ALLOWED_HOSTS does not change that.`,
  );
}

function entryText(host: string, port: number): string {
  const name = plainHost(host);
  return `${isIP(name) === 6 ? `[${name}]` : name}:${port}`;
}

/** The entry of an allow-list that lets this address pass and nothing else. */
export function hostAndPortOf({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/** The refusal of a guard, which lies below what HTTP clients make of it. */
export function appErrorIn(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  return error instanceof Error && error.cause ? appErrorIn(error.cause) : undefined;
}
