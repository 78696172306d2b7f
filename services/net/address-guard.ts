import { type LookupAddress, lookup as resolveName } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { AppError } from '../../model/errors';
import type { NetworkRules, OwnServer } from '../../model/network-rules';
import { addNetwork, contains, unwrapAddress, isPrivateAddress, isThisMachine, toPlainHost } from './addresses';

/**
 * Prevents flows, requests and documents from reaching addresses inside the operator's network. Public addresses are allowed,
 * private ones need an entry in the allow-list. The servers of this installation can be reached only by their own clients.
 */
export interface AddressGuard {
  /**
   * Returns the addresses to connect to. Throws ADDRESS_INVALID for an impossible port or a name that does not exist, unless the
   * name is on the allow-list (its server may not be up yet). Throws ADDRESS_NOT_ALLOWED when any of the addresses is forbidden.
   * Connect to the returned addresses: resolving the name again may return others.
   */
  judge(host: string, port: number): Promise<LookupAddress[]>;
}

/** How long the addresses of this installation's servers are cached. */
const freshMs = 10_000;

/**
 * A guard with the operator's allow-list: host names (exact, case-insensitive), addresses and networks (`10.0.0.0/8`), each with
 * a port (`models.internal:8000`, `[fd00::5]:443`) or without one for all ports. `localhost` includes the loopback addresses. A
 * name on the list may resolve to anything except a server of this installation.
 */
export function createAddressGuard(
  rules: NetworkRules | readonly string[],
  resolve: typeof resolveName = resolveName,
): AddressGuard {
  const { allowed, own }: NetworkRules = 'own' in rules ? rules : { allowed: rules, own: [] };
  const entries = allowed.map(buildEntry);
  const isOwn = createOwnCheck(own, (host) => readAddresses(host, resolve));
  const mayReach = (name: string, address: string, port: number) =>
    !isPrivateAddress(address) ||
    entries.some(
      (entry) => (entry.port ?? port) === port && (entry.name === name || contains(entry.networks, address)),
    );

  return {
    async judge(host, port) {
      const name = toPlainHost(host);
      if (!Number.isInteger(port) || port < 1 || port > 65_535)
        throw new AppError(
          'ADDRESS_INVALID',
          `The host '${host}' is named with the port ${port}; ports are 1 to 65535.`,
        );
      const addresses = await readAddresses(name, resolve).catch((error: NodeJS.ErrnoException) => {
        const isListed =
          entries.some((entry) => entry.name === name) || own.some((server) => toPlainHost(server.host) === name);
        throw isUnknown(error) && !isListed ? createUnknownHostError(host, error) : error;
      });
      const refused = addresses.find(({ address }) => !mayReach(name, address, port));
      if (refused) throw createRefusal(host, port, refused.address);
      if (await isOwn(name, addresses, port)) throw createOwnRefusalError(host, port);
      return addresses;
    },
  };
}

/** True when the name server reports that the name does not exist; an unavailable name server has other codes. */
function isUnknown({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ENOTFOUND' || code === 'ENODATA';
}

function createUnknownHostError(host: string, cause: Error): AppError {
  return new AppError('ADDRESS_INVALID', `The host '${host}' does not exist: its name has no address.`, {}, cause);
}

async function readAddresses(name: string, resolve: typeof resolveName): Promise<LookupAddress[]> {
  const family = isIP(name);
  if (family !== 0) return [{ address: name, family }];
  return await new Promise((onAddresses, onError) => {
    resolve(name, { all: true }, (error, addresses) => {
      if (error) onError(error);
      else if (addresses.length === 0) onError(new Error(`The name '${name}' has no address.`));
      else onAddresses(addresses);
    });
  });
}

/** Checks whether a name or one of its addresses is a server of this installation. All addresses of this machine count as one. */
function createOwnCheck(servers: readonly OwnServer[], lookUp: (host: string) => Promise<LookupAddress[]>) {
  const resolvedHosts = new Map<string, { until: number; addresses: Promise<string[]> }>();
  const listOwnAddresses = async (host: string): Promise<string[]> => {
    const resolved = resolvedHosts.get(host);
    if (resolved && resolved.until > performance.now()) return await resolved.addresses;
    // A name that cannot be resolved now cannot be used to reach that server. Not cached, because it may resolve next time.
    const addresses = lookUp(host).then(
      (list) => list.map(({ address }) => address),
      () => {
        resolvedHosts.delete(host);
        return [];
      },
    );
    resolvedHosts.set(host, { until: performance.now() + freshMs, addresses });
    return await addresses;
  };
  return async (name: string, addresses: readonly LookupAddress[], port: number): Promise<boolean> => {
    for (const server of servers.filter((ownServer) => ownServer.port === port)) {
      const host = toPlainHost(server.host);
      const ownAddresses = await listOwnAddresses(host);
      const candidates = addresses.filter(({ address }) => !server.onlyPrivate || isPrivateAddress(address));
      if (candidates.length === 0) continue;
      if (host === name || candidates.some(({ address }) => ownAddresses.some((own) => isSame(own, address))))
        return true;
    }
    return false;
  };
}

function isSame(value: string, other: string): boolean {
  return unwrapAddress(value) === unwrapAddress(other) || (isThisMachine(value) && isThisMachine(other));
}

interface Entry {
  name?: string;
  networks: BlockList;
  /** Absent: every port. */
  port?: number;
}

/** Parses an entry of the allow-list. Throws INVALID_CONFIGURATION unless it is a host or a network, with or without a port. */
function buildEntry(text: string): Entry {
  const { host, port } = splitPort(text.trim());
  const networks = new BlockList();
  const ports = port === undefined ? {} : { port };
  const isPort = port === undefined || (Number.isInteger(port) && port >= 1 && port <= 65_535);
  const name = host.includes('/') ? host.toLowerCase() : toPlainHost(host);
  if (isPort && addNetwork(networks, name)) return { networks, ...ports };
  if (!isPort || name === '' || /[\s@:/]/.test(name)) throw createBadEntryError(text);
  if (name === 'localhost') for (const network of ['127.0.0.0/8', '::1']) addNetwork(networks, network);
  return { name, networks, ...ports };
}

function splitPort(text: string): { host: string; port?: number } {
  const [, inside, after] = /^\[(.*)\](?::(.*))?$/.exec(text) ?? [];
  if (inside !== undefined) return { host: inside, ...(after === undefined ? {} : { port: getPort(after) }) };
  const parts = text.split(':');
  const [host = '', port] = parts;
  // More than one colon: an IPv6 address without brackets, which cannot have a port.
  return parts.length === 2 && port !== undefined ? { host, port: getPort(port) } : { host: text };
}

const getPort = (text: string) => (/^\d+$/.test(text) ? Number(text) : Number.NaN);

function createBadEntryError(entry: string): AppError {
  return new AppError(
    'INVALID_CONFIGURATION',
    `DOCLOOM_ALLOWED_HOSTS has the entry '${entry}'; expected a host name, an address or a network, with or without a port, as in models.internal:8000, [fd00::5]:443 or 10.0.0.0/8.`,
  );
}

/** Not in the error itself: messages and causes of errors reach replies, reports and histories. */
const reasons = new WeakMap<object, string>();

/** Why the guard refused an address, for the log of the server; undefined for other errors. */
export function findRefusalReason(error: object): string | undefined {
  return reasons.get(error);
}

/** One message for every reason, so that it does not reveal which addresses and servers exist. */
function createNotAllowedError(host: string, port: number, reason: string): AppError {
  const error = new AppError(
    'ADDRESS_NOT_ALLOWED',
    `The host '${host}' with port ${port} is not allowed by this server's settings (DOCLOOM_ALLOWED_HOSTS).`,
  );
  reasons.set(error, reason);
  return error;
}

function createRefusal(host: string, port: number, address: string): AppError {
  return createNotAllowedError(
    host,
    port,
    `${address} is a private or reserved address without the entry ${formatEntryText(host, port)}`,
  );
}

function createOwnRefusalError(host: string, port: number): AppError {
  return createNotAllowedError(host, port, 'it is a server of this installation, which no entry can allow');
}

function formatEntryText(host: string, port: number): string {
  const name = toPlainHost(host);
  return `${isIP(name) === 6 ? `[${name}]` : name}:${port}`;
}

/** The allow-list entry for this address only. */
export function formatHostAndPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/** Finds the guard's error among the causes of an HTTP client's error. */
export function findAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  return error instanceof Error && error.cause ? findAppError(error.cause) : undefined;
}
