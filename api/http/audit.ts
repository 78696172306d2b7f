import type { AuditEntry } from '../../model/audit/entry';
import { asAppError, type ErrorCode } from '../../model/errors';
import type { ApiServices } from '../services';
import type { RouteFacts } from './api';
import { isReply } from './route';

/** Data about a request for the audit log. `user` and `body` are set during processing. */
export interface Audited {
  user: string | undefined;
  /** The API key of the request. */
  key_id?: string | undefined;
  params: unknown;
  body: unknown;
  client_address: string;
  trace: string;
  /** The code to record for an error, undefined for none. Default: that of the error. */
  findRecordedCode?: (error: unknown) => string | undefined;
}

/** Errors that are not recorded: they do not concern access rights, and clients could cause any number of them. */
const unrecordedCodes: ReadonlySet<ErrorCode> = new Set([
  'VALIDATION_ERROR',
  'TOO_MANY_REQUESTS',
  'SERVICE_UNAVAILABLE',
]);
const maxTextLength = 256;
const maxIds = 10;

/** True for all changes, and for reads that are marked for auditing. */
export function isAudited({ method, audit }: Pick<RouteFacts, 'method' | 'audit'>): boolean {
  return audit === undefined ? method !== 'GET' : audit !== 'none';
}

/**
 * Runs the handler and records the result: a change before its reply is sent, a read within a second. A change stays in place
 * even if its entry cannot be written.
 */
export async function runAudited<T>(
  route: RouteFacts,
  services: Pick<ApiServices, 'audit' | 'announcer' | 'clock' | 'newId'>,
  facts: Audited,
  work: () => Promise<T>,
): Promise<T> {
  const { audit, clock, newId } = services;
  const record = async (outcome: string, result?: unknown): Promise<void> => {
    if (facts.user === undefined) return;
    const entry: AuditEntry = {
      entry_id: newId(),
      at: clock().toISOString(),
      user: facts.user.slice(0, maxTextLength),
      ...(facts.key_id === undefined ? {} : { api_key: facts.key_id }),
      action: `${route.method} ${route.path}`,
      target: findIds(facts.params, facts.body, result),
      changed: route.method === 'PATCH' || route.method === 'PUT' ? listMembers(facts.body) : [],
      outcome,
      client_address: facts.client_address,
      trace: facts.trace,
    };
    if (route.audit === 'read') audit.note(entry);
    else await audit.write(entry).catch(() => audit.note(entry));
  };
  try {
    const result = await work();
    const body = isReply(result) ? result.body : result;
    await record('OK', body);
    await announceRights(route, services, facts, body);
    return result;
  } catch (error) {
    const code = (facts.findRecordedCode ?? findCode)(error);
    if (code !== undefined) await record(code);
    throw error;
  }
}

/** Members that define who may do what with a resource. */
const rightsMembers: ReadonlySet<string> = new Set([
  'owner',
  'readers',
  'members',
  'users',
  'groups',
  'writers',
  'roles',
]);

/** Notifies the webhooks of a resource's owner about a change of access. A failed notification does not undo the change. */
async function announceRights(
  { method, path }: RouteFacts,
  { announcer, newId }: Pick<ApiServices, 'announcer' | 'newId'>,
  { user, params, body: sent }: Audited,
  result: unknown,
): Promise<void> {
  if (method !== 'PATCH' && method !== 'PUT') return;
  const changed = listMembers(sent).filter((name) => rightsMembers.has(name));
  const owner = (result as { owner?: unknown } | undefined | null)?.owner;
  if (changed.length === 0 || typeof owner !== 'string') return;
  const data = { resource: path, target: findIds(params, result), changed, changed_by: user };
  await announcer.announce({ event: 'rights.changed', owner, key: newId(), data }).catch(() => undefined);
}

function findCode(error: unknown): string | undefined {
  const { code } = asAppError(error);
  return unrecordedCodes.has(code) ? undefined : code;
}

/** The string members named `user` or `…_id` of all values. If a name occurs more than once, the first value wins. */
function findIds(...values: readonly unknown[]): Record<string, string> {
  const targets = new Map<string, string>();
  for (const value of values) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    for (const [name, member] of Object.entries(value)) {
      if (!/^(?:user|[a-z_]{1,61}_id)$/.test(name) || typeof member !== 'string' || targets.has(name)) continue;
      if (targets.size < maxIds) targets.set(name, member.slice(0, maxTextLength));
    }
  }
  return Object.fromEntries(targets);
}

function listMembers(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  // Some bodies contain members named by the caller, whose names may be private.
  return Object.keys(body)
    .filter((name) => /^[a-z_]{1,64}$/.test(name))
    .slice(0, 50);
}
