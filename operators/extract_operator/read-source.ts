import { AppError } from '../../model/errors';
import { buildEffectiveConfig } from '../../model/flow/config';
import { findAncestors, readGraph } from '../../model/flow/graph';
import type { Row } from '../../model/flow/row';
import { findHolderPath, readMemberRules } from '../../model/source/member-settings';
import type { ListedDocument } from '../../services/source/source';
import type { OperatorContext } from '../operator';

type Context = OperatorContext<'sources' | 'members'>;

/** Provider and configuration of an upstream ingest operator. */
interface Origin {
  provider: string;
  config: Record<string, unknown>;
}

/** Creates a function that reads the bytes of a row. A file that contains several of the rows is read and opened once. */
export function createByteReader(rows: readonly Row[], context: Context): (row: Row) => Promise<Uint8Array> {
  const origins = listOrigins(context);
  const rowsByHolder = new Map<string, Row[]>();
  for (const row of rows) {
    const holder = findHolder(row);
    if (holder !== undefined) rowsByHolder.set(holder, [...(rowsByHolder.get(holder) ?? []), row]);
  }
  const opened = new Map<string, Promise<Map<string, Uint8Array>>>();
  return async (row) => {
    const holder = findHolder(row);
    if (holder === undefined) return (await readFrom(toListed(row.path, row), context, origins)).bytes;
    const opening =
      opened.get(holder) ?? openHolder(toListed(holder, row), rowsByHolder.get(holder)!, context, origins);
    opened.set(holder, opening);
    const members = await opening;
    const bytes = members.get(row.member_path!);
    if (!bytes) throw new AppError('SOURCE_UNREADABLE', `'${row.name}' is no longer in the file '${holder}'.`);
    // Each member is read once, so its bytes need not stay in memory.
    members.delete(row.member_path!);
    return bytes;
  };
}

/** The sources that the rows of an operator may come from. Throws when the flow has none. */
function listOrigins({ run: { flow }, operator, configOf }: Context): Origin[] {
  const upstream = findAncestors(readGraph(flow), operator);
  const origins = flow.flow
    .filter(({ type, name }) => type === 'ingest_source' && upstream.has(name))
    .map((ingest) => {
      const config = configOf?.(ingest.name) ?? buildEffectiveConfig(flow, ingest);
      return { provider: typeof config['provider'] === 'string' ? config['provider'] : 'filesystem', config };
    });
  if (origins.length > 0) return origins;
  throw new AppError(
    'OPERATOR_CONFIGURATION_INVALID',
    `There is no 'ingest_source' before the operator '${operator}', so its documents cannot be read.`,
  );
}

function findHolder({ path, member_path: within }: Row): string | undefined {
  return typeof within === 'string' ? findHolderPath(path, within) : undefined;
}

/** With the version of the listing, so that no other file is read under the access list of the listed one. */
function toListed(path: string, { source_version: version }: Row): string | ListedDocument {
  return version ? { path, version } : path;
}

async function openHolder(
  holder: string | ListedDocument,
  rows: readonly Row[],
  context: Context,
  origins: readonly Origin[],
): Promise<Map<string, Uint8Array>> {
  const { bytes, config } = await readFrom(holder, context, origins);
  const path = typeof holder === 'string' ? holder : holder.path;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const memberPaths = rows.map(({ member_path }) => member_path!);
  const rules = readMemberRules(config);
  const { members } = await context.services.members.find({ name, bytes, rules, wanted: memberPaths }, context.signal);
  return new Map(members.flatMap((member) => (member.bytes ? [[member.path, member.bytes] as const] : [])));
}

/** Tries each source: a row does not record which of them listed it, and only one of them knows its path. */
async function readFrom(
  document: string | ListedDocument,
  { services, signal }: Context,
  origins: readonly Origin[],
): Promise<{ bytes: Uint8Array; config: Record<string, unknown> }> {
  let failure: unknown;
  for (const { provider, config } of origins) {
    try {
      return { bytes: await services.sources.read(provider, document, config, signal), config };
    } catch (error) {
      signal.throwIfAborted();
      failure ??= error;
    }
  }
  throw failure;
}
