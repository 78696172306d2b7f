import type { TSchema } from '@sinclair/typebox';
import { connectionReference, type ConnectionType, type OpenConnection } from '../../model/connection/connection';
import { AppError } from '../../model/errors';
import { allowsDestination, type Destination, listDestinations } from '../../model/flow/destinations';
import { findSecretPlace } from '../../model/flow/secret-members';

/** `${NAME}` with the name of an environment variable, or `${connection:NAME}`. Any other `${` is plain text. */
const reference = new RegExp(`\\$\\{([A-Z_][A-Z0-9_]*)\\}|${connectionReference.source}`, 'g');
const allowedName = /^DOCLOOM_SECRET_[A-Z0-9_]+$/;
const hostsSuffix = '_HOSTS';
const connectionPrefix = 'connection:';

type Environment = Readonly<Record<string, string | undefined>>;

/** The use of a configuration: its schema, and the destinations of its requests. */
export interface SecretUse {
  schema: TSchema;
  /** Destinations when the configuration names no address. `operator:NAME` for an operator whose own code decides. */
  fallback: readonly string[];
  /** Types of connections whose secrets the operator accepts. */
  types?: readonly ConnectionType[];
  /** Returns a connection that all people for whom the run acts may use. Undefined also for a connection of other users. */
  findConnection?: (name: string) => OpenConnection | undefined;
}

/**
 * Replaces every `${DOCLOOM_SECRET_…}` in the configuration with its value from `env`, in members that the schema marks as
 * secret, and only if DOCLOOM_SECRET_…_HOSTS lists every host that the configuration names. Otherwise throws SECRET_NOT_ALLOWED
 * with reference, place and host. Throws SECRET_NOT_FOUND when the variable is not set or has another prefix: flows come from
 * users, who must not read the rest of the environment. Replaced values are not searched for references again.
 */
export function resolveSecrets<T>(config: T, env: Environment, use: SecretUse): T {
  return replaceReferences(config, [], (name, parts) => {
    const { isSecret, scope } = findSecretPlace(use.schema, config, parts);
    // Checked first, so that references that are refused anyway do not reveal which secrets exist.
    if (!isSecret)
      throw createRefusedError(
        name,
        parts,
        'this member does not take secrets; name them in members such as api_key or password',
      );
    const { value, hosts, unlisted } = name.startsWith(connectionPrefix)
      ? readConnection(name, parts, use)
      : readEnvironment(name, parts, env);
    const outside = findDestinations(scope, use).find((destination) => !allowsDestination(hosts, destination));
    if (outside) throw createRefusedError(name, parts, `${unlisted} '${describeDestination(outside)}'`);
    return value;
  }) as T;
}

/** A secret, the hosts to which it may be sent, and the beginning of the refusal of another host. */
interface FoundSecret {
  value: string;
  hosts: readonly string[];
  unlisted: string;
}

function readEnvironment(name: string, parts: readonly string[], env: Environment): FoundSecret {
  const value = lookUp(name, env, parts);
  const hosts = (env[`${name}${hostsSuffix}`] ?? '').split(',');
  return { value, hosts, unlisted: `${name}${hostsSuffix} on the worker does not list` };
}

function readConnection(
  referenceName: string,
  parts: readonly string[],
  { findConnection, types = [] }: SecretUse,
): FoundSecret {
  const [name = '', member] = referenceName.slice(connectionPrefix.length).split('.');
  const openConnection = findConnection?.(name);
  if (!openConnection)
    throw new AppError(
      'CONNECTION_NOT_FOUND',
      `The reference \${${referenceName}}${formatPlace(parts)} does not resolve: there is no connection '${name}' that everybody may use for whom the run acts.`,
    );
  if (!types.includes(openConnection.type))
    throw createRefusedError(
      referenceName,
      parts,
      `the connection has the type '${openConnection.type}', but this operator needs ${types.join(' or ')}`,
    );
  const { secret, hosts } = openConnection;
  if (secret === undefined)
    throw createNotFoundError(referenceName, parts, 'its hosts were changed, and its secret was not given again');
  if (typeof secret === 'string' && member !== undefined)
    throw createNotFoundError(referenceName, parts, 'its secret is one text without members');
  const value = typeof secret === 'string' ? secret : secret[member ?? ''];
  if (value === undefined)
    throw createNotFoundError(referenceName, parts, 'name a member of its secret, as in ${connection:NAME.MEMBER}');
  return { value, hosts, unlisted: `the connection '${name}' is not for the host` };
}

/**
 * Like `resolveSecrets`, for a user's own environment and command line: references are allowed in every text and for any host.
 */
export function resolveOwnSecrets<T>(config: T, env: Environment): T {
  return replaceReferences(config, [], (name, parts) => {
    if (name.startsWith(connectionPrefix))
      throw createNotFoundError(name, parts, 'connections are for flows and graphs of a server');
    return lookUp(name, env, parts);
  }) as T;
}

function findDestinations(scope: unknown, { fallback }: SecretUse): Destination[] {
  const namedDestinations = listDestinations(scope);
  const isOwnCode = fallback.some((value) => value.startsWith('operator:'));
  const defaultHosts =
    namedDestinations.length === 0 || isOwnCode ? fallback.flatMap((value) => getFallback(value)) : [];
  return [...namedDestinations, ...defaultHosts];
}

/** `operator:NAME` looks like a host with a port, but is compared as a whole. */
function getFallback(value: string): Destination[] {
  return value.startsWith('operator:') ? [{ host: value, port: '' }] : listDestinations(value);
}

function describeDestination({ host, port }: Destination): string {
  return port === '' ? host : `${host}:${port}`;
}

function replaceReferences(
  value: unknown,
  parts: readonly string[],
  find: (name: string, parts: readonly string[]) => string,
): unknown {
  if (typeof value === 'string')
    return value.replace(reference, (whole: string, name?: string) => find(name ?? whole.slice(2, -1), parts));
  if (Array.isArray(value))
    return value.map((item: unknown, index) => replaceReferences(item, [...parts, String(index)], find));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, replaceReferences(member, [...parts, name], find)]),
  );
}

function lookUp(name: string, env: Environment, parts: readonly string[]): string {
  if (!allowedName.test(name) || name.endsWith(hostsSuffix))
    throw createNotFoundError(name, parts, 'only variables that begin with DOCLOOM_SECRET_ do');
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (!value) throw createNotFoundError(name, parts, `${name} is not set in the environment of the worker`);
  return value;
}

function formatPlace(parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` at /${parts.join('/')}`;
}

function createNotFoundError(name: string, parts: readonly string[], reason: string): AppError {
  return new AppError(
    'SECRET_NOT_FOUND',
    `The reference \${${name}}${formatPlace(parts)} does not resolve: ${reason}.`,
  );
}

function createRefusedError(name: string, parts: readonly string[], reason: string): AppError {
  return new AppError('SECRET_NOT_ALLOWED', `The reference \${${name}}${formatPlace(parts)} is refused: ${reason}.`);
}
