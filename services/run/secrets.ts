import type { TSchema } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { connectionReference, type ConnectionType, type OpenConnection } from '../../model/connection/connection';
import { admits, type Destination, destinationsOf } from '../../model/flow/destinations';
import { secretPlaceOf } from '../../model/flow/secret-members';

/** `${NAME}` with a name as environment variables have it, or `${connection:NAME}`; other uses of `${` are text. */
const reference = new RegExp(`\\$\\{([A-Z_][A-Z0-9_]*)\\}|${connectionReference.source}`, 'g');
const allowed = /^DOCLOOM_SECRET_[A-Z0-9_]+$/;
const hostsSuffix = '_HOSTS';
const connectionPrefix = 'connection:';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whose configuration it is: what the schema says of its members, and where requests go that name no address. */
export interface SecretUse {
  schema: TSchema;
  /** Addresses of the settings; `operator:NAME` for an operator whose own code decides. */
  fallback: readonly string[];
  /** Types of connections whose secrets the operator takes. */
  types?: readonly ConnectionType[];
  /** Finds a connection that everybody may use for whom the run acts; undefined also where somebody else has one. */
  connection?: (name: string) => OpenConnection | undefined;
}

/**
 * The configuration with every `${DOCLOOM_SECRET_…}` replaced from `env`, in members that the schema marks as secret and only
 * if DOCLOOM_SECRET_…_HOSTS lists every host that the configuration names. SECRET_NOT_ALLOWED names reference, place and host
 * otherwise; SECRET_NOT_FOUND when the variable is not set, or another one is asked for: flows come from users, and the rest of
 * the environment is not theirs. Values put in are not searched again.
 */
export function resolveSecrets<T>(config: T, env: Environment, use: SecretUse): T {
  return replaced(config, [], (name, parts) => {
    const { value, hosts, unlisted } = name.startsWith(connectionPrefix)
      ? fromConnection(name, parts, use)
      : fromEnvironment(name, parts, env);
    const { isSecret, scope } = secretPlaceOf(use.schema, config, parts);
    if (!isSecret)
      throw refused(name, parts, 'this member does not take secrets; name them in members such as api_key or password');
    const outside = destinationsIn(scope, use).find((destination) => !admits(hosts, destination));
    if (outside) throw refused(name, parts, `${unlisted} '${shown(outside)}'`);
    return value;
  }) as T;
}

/** A secret, where it may go, and how to say where it may not. */
interface Found {
  value: string;
  hosts: readonly string[];
  unlisted: string;
}

function fromEnvironment(name: string, parts: readonly string[], env: Environment): Found {
  const value = lookUp(name, env, parts);
  const hosts = (env[`${name}${hostsSuffix}`] ?? '').split(',');
  return { value, hosts, unlisted: `${name}${hostsSuffix} on the worker does not list` };
}

function fromConnection(reference: string, parts: readonly string[], { connection, types = [] }: SecretUse): Found {
  const [name = '', member] = reference.slice(connectionPrefix.length).split('.');
  const found = connection?.(name);
  if (!found)
    throw new AppError(
      'CONNECTION_NOT_FOUND',
      `The reference \${${reference}}${placeOf(parts)} does not resolve: there is no connection '${name}' that everybody may use for whom the run acts.`,
    );
  if (!types.includes(found.type))
    throw refused(
      reference,
      parts,
      `the connection is for '${found.type}', and this operator takes ${types.join(' or ')}`,
    );
  const { secret, hosts } = found;
  if (secret === undefined)
    throw notFound(reference, parts, 'its hosts were changed, and its secret was not given again');
  const value = typeof secret === 'string' ? (member === undefined ? secret : undefined) : secret[member ?? ''];
  if (value === undefined)
    throw notFound(
      reference,
      parts,
      typeof secret === 'string'
        ? 'its secret is one text without members'
        : 'name a member of its secret, as in ${connection:NAME.MEMBER}',
    );
  return { value, hosts, unlisted: `the connection '${name}' is not for the host` };
}

/** The same for somebody's own environment and command line: every text may hold references, to any host. */
export function resolveOwnSecrets<T>(config: T, env: Environment): T {
  return replaced(config, [], (name, parts) => {
    if (name.startsWith(connectionPrefix))
      throw notFound(name, parts, 'connections are for flows and graphs of a server');
    return lookUp(name, env, parts);
  }) as T;
}

function destinationsIn(scope: unknown, { fallback }: SecretUse): Destination[] {
  const named = destinationsOf(scope);
  const isOwnCode = fallback.some((one) => one.startsWith('operator:'));
  const usual = named.length === 0 || isOwnCode ? fallback.flatMap((one) => fallbackOf(one)) : [];
  return [...named, ...usual];
}

/** An operator's own code is admitted as `operator:NAME`, which is host and port of an entry by its form. */
function fallbackOf(one: string): Destination[] {
  return one.startsWith('operator:') ? [{ host: one, port: '' }] : destinationsOf(one);
}

function shown({ host, port }: Destination): string {
  return port === '' ? host : `${host}:${port}`;
}

function replaced(
  value: unknown,
  parts: readonly string[],
  find: (name: string, parts: readonly string[]) => string,
): unknown {
  if (typeof value === 'string')
    return value.replace(reference, (whole: string, name?: string) => find(name ?? whole.slice(2, -1), parts));
  if (Array.isArray(value)) return value.map((item: unknown, index) => replaced(item, [...parts, String(index)], find));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, replaced(member, [...parts, name], find)]),
  );
}

function lookUp(name: string, env: Environment, parts: readonly string[]): string {
  if (!allowed.test(name) || name.endsWith(hostsSuffix))
    throw notFound(name, parts, 'only variables that begin with DOCLOOM_SECRET_ do');
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (!value) throw notFound(name, parts, `${name} is not set in the environment of the worker`);
  return value;
}

function placeOf(parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` at /${parts.join('/')}`;
}

function notFound(name: string, parts: readonly string[], reason: string): AppError {
  return new AppError('SECRET_NOT_FOUND', `The reference \${${name}}${placeOf(parts)} does not resolve: ${reason}.`);
}

function refused(name: string, parts: readonly string[], reason: string): AppError {
  return new AppError('SECRET_NOT_ALLOWED', `The reference \${${name}}${placeOf(parts)} is refused: ${reason}.`);
}
