import type { User } from '../../model/access';
import { findUsableConnection, listConnectionNames, mayUseConnection } from '../../model/connection/connection';
import type { ConnectionAnswer, ConnectionCheckReply } from '../../model/connection/wire-check';
import { asAppError } from '../../model/errors';
import { buildEffectiveConfig } from '../../model/flow/config';
import { findSourceKind } from '../../model/source/list';
import { ingestSource } from '../../operators/ingest_source/schema';
import type { CheckReader, DestinationInspector, SourceInspector } from '../../operators/inspection';
import { storage } from '../../operators/storage/schema';
import { checkHost } from '../../services/connection/check-hosts';
import type { ConnectionRecord, ConnectionsStore } from '../../services/connection/store';
import type { FlowRecord, FlowsStore } from '../../services/flow/ports';
import type { AddressGuard } from '../../services/net/address-guard';

/** Checks connections for users who may use them. */
export interface ConnectionInspector {
  /** The caller has made sure that the user may use the connection. */
  check(connection: ConnectionRecord, reader: User & CheckReader, signal: AbortSignal): Promise<ConnectionCheckReply>;
}

/** What a check needs. */
export interface ConnectionInspectorDeps {
  connections: Pick<ConnectionsStore, 'open'>;
  flows: Pick<FlowsStore, 'list'>;
  sources: SourceInspector;
  destinations: DestinationInspector;
  guard: AddressGuard;
}

/** An operator that uses the connection: it reads a source, or exports to a destination. */
interface Use {
  flow: FlowRecord;
  operator: string;
  config: Record<string, unknown>;
}

/** Sources and destinations are counted apart. */
const maxChecks = 5;
const flowsInPage = 100;
const maxFlows = 1_000;

/**
 * Checks a connection as far as it can be known without a configuration: its secret, its hosts, and the sources and
 * destinations that use it in flows of the user. The secret goes nowhere but where these flows send it.
 */
export function createConnectionInspector(deps: ConnectionInspectorDeps): ConnectionInspector {
  return {
    async check(connection, reader, signal) {
      const { secret, isChosen } = await checkSecret(deps, connection, reader);
      const hosts = await Promise.all(
        connection.hosts.map(async (host) => ({
          host,
          ...(await checkHost(host, { guard: deps.guard, type: connection.type, signal })),
        })),
      );
      const uses = isChosen ? await findUses(deps, connection, reader) : { sources: [], destinations: [] };
      const sources: ConnectionCheckReply['sources'] = [];
      for (const use of uses.sources.slice(0, maxChecks))
        sources.push({
          provider: findSourceKind(use.config)?.name ?? '',
          ...(await checkUse(deps.sources, use, reader, signal)),
        });
      const destinations: ConnectionCheckReply['destinations'] = [];
      for (const use of uses.destinations.slice(0, maxChecks))
        destinations.push({
          destination: String(use.config['destination']),
          ...(await checkUse(deps.destinations, use, reader, signal)),
        });
      return {
        usable:
          secret.outcome !== 'denied' &&
          hosts.every(({ outcome }) => outcome !== 'denied') &&
          [...sources, ...destinations].every(({ usable }) => usable),
        secret,
        hosts,
        sources,
        unchecked_sources: Math.max(0, uses.sources.length - maxChecks),
        destinations,
        unchecked_destinations: Math.max(0, uses.destinations.length - maxChecks),
      };
    },
  };
}

/** `isChosen`: flows of the user that refer to the name use this connection, and no other one. */
async function checkSecret(
  { connections }: ConnectionInspectorDeps,
  { name, shared, has_secret: hasSecret }: ConnectionRecord,
  reader: User,
): Promise<{ secret: ConnectionAnswer; isChosen: boolean }> {
  try {
    const chosen = findUsableConnection(await connections.open([name], [reader]), name, [reader]);
    const isChosen = chosen?.shared === shared;
    if (!hasSecret) {
      const message = 'The hosts were changed, and the secret was not given again.';
      return { secret: { outcome: 'denied', code: 'SECRET_NOT_FOUND', message }, isChosen };
    }
    if (isChosen) return { secret: { outcome: 'granted', message: 'The secret can be decrypted.' }, isChosen };
    const message = 'Your flows use your own connection of this name instead.';
    return { secret: { outcome: 'unknown', message }, isChosen };
  } catch (error) {
    const { code } = asAppError(error, 'SERVICE_UNAVAILABLE');
    return { secret: { outcome: 'denied', code, message: 'The secret cannot be decrypted.' }, isChosen: false };
  }
}

/**
 * Only the flows that the user owns: the configurations of others may contain what the user must not use. As in a run, their
 * last editor must be allowed to use the connection, too.
 */
async function findUses(
  { flows }: ConnectionInspectorDeps,
  connection: ConnectionRecord,
  user: User,
): Promise<{ sources: Use[]; destinations: Use[] }> {
  const sources: Use[] = [];
  const destinations: Use[] = [];
  const lists = new Map<string, Use[]>([
    [ingestSource.name, sources],
    [storage.name, destinations],
  ]);
  for (let offset = 0; offset < maxFlows; offset += flowsInPage) {
    const { items, total } = await flows.list(user, { limit: flowsInPage, offset });
    const ownFlows = items.filter(
      ({ owner, editor = user }) => owner === user.username && mayUseConnection(editor, connection),
    );
    for (const flow of ownFlows)
      for (const operator of flow.flow) {
        const list = lists.get(operator.type);
        if (!list) continue;
        const config = buildEffectiveConfig(flow, operator);
        if (listConnectionNames(config).includes(connection.name)) list.push({ flow, operator: operator.name, config });
      }
    if (offset + flowsInPage >= total) break;
  }
  return { sources, destinations };
}

/** Checks every right of a source or a destination. */
interface Inspector<R> {
  check(config: Record<string, unknown>, reader: CheckReader, signal: AbortSignal): Promise<R[]>;
}

async function checkUse<R extends ConnectionAnswer>(
  inspector: Inspector<R>,
  { flow, operator, config }: Use,
  reader: CheckReader,
  signal: AbortSignal,
) {
  const facts = { flow_id: flow.flow_id, flow_name: flow.flow_name, operator };
  try {
    const rights = await inspector.check(config, reader, signal);
    return { ...facts, usable: rights.every(({ outcome }) => outcome !== 'denied'), rights };
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = asAppError(error, 'EXTERNAL_SERVICE_ERROR');
    return { ...facts, usable: false, rights: [], code, message };
  }
}
