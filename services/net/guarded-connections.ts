import type { LookupAddress } from 'node:dns';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { buildConnector } from 'undici';
import type { AddressGuard } from './address-guard';
import { surviveEarlyEnd } from './ended-sockets';

/**
 * Connections for all clients whose host can be named by a flow, a request or a document. They connect only to checked addresses.
 */

/** A connector for undici agents. `tls` contains options of `tls.connect`, such as `ca`. */
export function createGuardedConnector(
  guard: AddressGuard,
  tls: { ca?: string; rejectUnauthorized?: boolean } = {},
): buildConnector.connector {
  return (options, callback) => {
    const defaultPort = options.protocol === 'https:' ? 443 : 80;
    const port = options.port ? Number(options.port) : defaultPort;
    guard.judge(options.hostname, port).then(
      (addresses) => {
        // Each connection needs its own connector, which contains the checked addresses.
        buildConnector({ ...tls, lookup: createLookup(addresses) })(options, (...[error, socket]) => {
          if (error) return callback(error, null);
          surviveEarlyEnd(socket);
          callback(null, socket);
        });
      },
      (error: Error) => callback(error, null),
    );
  };
}

type Connected = (error: Error | null, socket: Duplex) => void;
interface Destination {
  host?: string | null;
  port?: string | number | null;
}

/** Agents for `node:http` and `node:https` whose connections pass the guard. `tls` applies to HTTPS only. */
export function createGuardedAgents(
  guard: AddressGuard,
  tls: { rejectUnauthorized?: boolean } = {},
): { http: HttpAgent; https: HttpsAgent } {
  return {
    http: guardConnections(new HttpAgent({ keepAlive: true }), guard, 80),
    https: guardConnections(new HttpsAgent({ keepAlive: true, ...tls }), guard, 443),
  };
}

/** Makes the agent connect only to addresses that pass the guard. */
function guardConnections<T extends HttpAgent>(agent: T, guard: AddressGuard, defaultPort: number): T {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options: Destination, callback?: Connected) =>
    judgeAddress(guard, { port: defaultPort, ...options }, callback, connect);
  return agent;
}

function judgeAddress(
  guard: AddressGuard,
  options: Destination,
  callback: Connected | undefined,
  connect: (options: object) => Duplex | undefined | null,
): undefined {
  guard
    .judge(options.host ?? 'localhost', Number(options.port))
    .then((addresses) => connect({ ...options, lookup: createLookup(addresses) }))
    .then(
      (socket) => socket && callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as never),
    );
}

/** A DNS lookup that always returns the checked addresses. */
function createLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) return callback(null, [...addresses]);
    const first = addresses.find(({ family }) => !options.family || family === options.family) ?? addresses[0];
    return callback(null, first?.address ?? '', first?.family);
  };
}
