import { AppError } from '../../model/errors';
import { createTimeLimit } from '../../model/time/time-limit';
import type { AddressGuard } from '../net/address-guard';
import { connectSearch } from '../search/connection';
import { type Answer, type Answers, reportDenied, reportGranted, reportUnknown } from './answers';
import { isExportIndex } from './index-mapping';
import type { IndexTarget } from './index-place';

/** An answer of the server, whatever its status. */
interface Reply {
  status: number;
  body: unknown;
}
type Ask = (method: 'GET' | 'POST', path: string, body?: Record<string, unknown>) => Promise<Reply>;

const timeoutMs = 10_000;
/** Of the whole check: `timeoutMs` is only the time without a byte, and checks by others wait for a slot. */
const totalMs = 30_000;
/** Statuses that a server answers with; those of overloaded servers are not among them. */
const answered = [400, 401, 403, 404, 405, 406, 410, 415, 500, 501];

/** The answers to a question about accounts of servers that have none. If such a server refuses the index, the account is refused. */
const withoutAccounts = [400, 404, 405];

/** What an export requests of Elasticsearch, as privileges of its index and of its alias. */
const privileges = { index: ['create_index', 'manage', 'read', 'write'], alias: ['manage'] } as const;

/**
 * What a cluster says of an export without anything being written: whether it accepts the credentials, which privileges they have, and
 * what is at the names of the index and the alias. Messages never quote the server.
 */
export async function checkIndex(target: IndexTarget, guard: AddressGuard, limitMs = totalMs): Promise<Answers> {
  if (!sendable.test(target.server.apiKey ?? ''))
    return { sign_in: reportDenied('SOURCE_SIGN_IN_FAILED', 'The API key has characters that no encoded key has.') };
  const connection = connectSearch(target.server, guard);
  const signal = createTimeLimit(limitMs);
  const ask: Ask = (method, path, body) =>
    connection.send({ method, path, ...(body ? { body } : {}) }, { timeoutMs, signal, accept: answered });
  try {
    const signIn = await checkPrivileges(ask, target);
    if (signIn.sign_in?.outcome === 'denied' || signIn.write?.outcome === 'denied') return signIn;
    const problem = (await checkIndexName(ask, target.index)) ?? (await checkAliasName(ask, target));
    if (problem?.code === 'SOURCE_SIGN_IN_FAILED') return { ...signIn, sign_in: problem };
    return problem ? { ...signIn, write: problem } : signIn;
  } catch (error) {
    if (signal.aborted) return { reach: reportDenied('SEARCH_CONNECTION_FAILED', 'It answers too slowly.') };
    return describeFailure(error);
  } finally {
    void connection.close();
  }
}

/** What a header can contain. */
const sendable = /^[\x21-\x7e]*$/;

const reach = reportGranted('It answers.');
const refused = reportDenied('SOURCE_SIGN_IN_FAILED', 'The credentials are refused.');

/** Asks the cluster about the account itself, which every account may. Servers without security features cannot answer. */
async function checkPrivileges(ask: Ask, target: IndexTarget): Promise<Answers> {
  const index = (['index', 'alias'] as const).flatMap((kind) => {
    const name = target[kind];
    return name === undefined ? [] : [{ names: [name], privileges: privileges[kind] }];
  });
  const { status, body } = await ask('POST', '/_security/user/_has_privileges', { index });
  if (status === 401) return { reach, sign_in: refused };
  const held = readObject(readObject(body)['index']);
  if (status !== 200 || index.some(({ names: [name = ''] }) => typeof held[name] !== 'object'))
    return {
      reach,
      sign_in: withoutAccounts.includes(status)
        ? reportGranted('The server has no accounts: its security features are off, or it has none.')
        : reportUnknown('The server does not say whom it knows.'),
      write: reportUnknown('Nothing forbids it, but the server does not say what the account may do.'),
    };
  const sign_in = reportGranted('The credentials are accepted.');
  const missing = index.flatMap(({ names: [name = ''], privileges: needed }) =>
    needed
      .filter((privilege) => readObject(held[name])[privilege] !== true)
      .map((privilege) => `\`${privilege}\` on '${name}'`),
  );
  const write =
    missing.length === 0
      ? reportGranted('The account has the privileges. Nothing was written.')
      : reportDenied('EXPORT_NOT_ALLOWED', `The account lacks ${missing.join(', ')}.`);
  return { reach, sign_in, write };
}

/** Undefined if an export may use the name as its index: it is free, or an index of an export. */
async function checkIndexName(ask: Ask, index: string): Promise<Answer | undefined> {
  const found = await readIndexes(ask, index);
  if (!found.indexes) return found.problem;
  const own = found.indexes[index];
  if (!own) return deny(`'${index}' is an alias; name an index.`);
  if (!isExport(own)) return deny(`The index '${index}' was not created by an export; choose another name.`);
  const { blocks } = readObject(readObject(own['settings'])['index']);
  // The server sets the last one when its disk is full.
  const closed = ['read_only', 'write', 'metadata', 'read_only_allow_delete'].filter(
    (name) => String(readObject(blocks)[name]) === 'true',
  );
  return closed.length === 0 ? undefined : deny(`The index '${index}' is blocked (\`blocks.${closed[0]}\`).`);
}

/** Undefined if an export may point the alias at its index. */
async function checkAliasName(ask: Ask, { alias, index }: IndexTarget): Promise<Answer | undefined> {
  if (alias === undefined) return undefined;
  const found = await readIndexes(ask, alias);
  if (!found.indexes) return found.problem;
  if (found.indexes[alias]) return deny(`'${alias}' is an index; choose another alias.`);
  const isForeign = Object.entries(found.indexes).some(([name, holder]) => name !== index && !isExport(holder));
  return isForeign
    ? deny(`The alias '${alias}' belongs to an index that was not created by an export; choose another alias.`)
    : undefined;
}

/** The indexes at a name; neither member if there is none. */
async function readIndexes(
  ask: Ask,
  name: string,
): Promise<{ indexes?: Record<string, Record<string, unknown>>; problem?: Answer }> {
  const { status, body } = await ask('GET', `/${encodeURIComponent(name)}`);
  const notFound = readObject(readObject(body)['error'])['type'] === 'index_not_found_exception';
  if (status === 404 && notFound) return {};
  if (status === 401) return { problem: refused };
  if (status === 403) return { problem: deny(`The account may not read the settings of '${name}'.`) };
  const indexes = Object.entries(readObject(body));
  if (status !== 200 || indexes.length === 0 || indexes.some(([, index]) => !readObject(index)['settings']))
    return { problem: reportDenied('INVALID_RESPONSE', 'The server does not answer as Elasticsearch does.') };
  return { indexes: Object.fromEntries(indexes.map(([key, value]) => [key, readObject(value)])) };
}

/** An index as a server describes it that nobody has checked. */
function isExport(index: Record<string, unknown>): boolean {
  const mappings = { _meta: readObject(readObject(index['mappings'])['_meta']) };
  return isExportIndex({ mappings });
}

function deny(message: string): Answer {
  return reportDenied('EXPORT_NOT_ALLOWED', message);
}

/** Empty for whatever is not an object. */
function readObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Texts of the guard are shown, and the code of the system or of TLS, such as that of a certificate; texts of servers are not. */
function describeFailure(error: unknown): Answers {
  if (!(error instanceof AppError)) throw error;
  const { code, message, cause } = error;
  if (code === 'ADDRESS_NOT_ALLOWED' || code === 'ADDRESS_INVALID') return { reach: reportDenied(code, message) };
  const { code: reason } = readObject(cause);
  const suffix = typeof reason === 'string' && /^[A-Z][A-Z_0-9]+$/.test(reason) ? ` (${reason})` : '';
  return { reach: reportDenied(code, `There is no usable answer, or the server is overloaded${suffix}.`) };
}
