import { hash } from 'node:crypto';
import type { BucketSource } from '../../model/conversion/request/sources';
import { countNouns } from '../../model/count-nouns';
import { AppError, asAppError, errorCatalogue } from '../../model/errors';
import { buildMemberPath, type MemberRules, readMemberRules } from '../../model/source/member-settings';
import { buildResultsPrefix } from '../../services/conversion/files';
import type { FoundMember, FoundMembers } from '../../services/conversion/members';
import type { NewConversionTask, TaskSource } from '../../services/conversion/ports';
import type { ConvertDeps } from './deps';
import { checkSize, type DocumentSource, buildName } from './sources';

/** Maximum number of files that one task extracts from its sources. */
const maxMembers = 1_000;
/** Members are extracted in portions of about this size. */
const portionBytes = 64 * 1024 * 1024;

/** Key prefix of the files that a task took out of its sources; removed when the task ends. */
export function buildMembersPrefix(taskId: string): string {
  return `${buildResultsPrefix(taskId)}members/`;
}

/** The request's options for files within files; undefined if it does not ask for them. */
export function findMemberRules({ options }: Pick<NewConversionTask, 'options'>): MemberRules | undefined {
  // Tasks of an older version do not have the option.
  const members = options.members ?? 'none';
  if (members === 'none') return undefined;
  // A large table is converted as one document, row by row.
  return readMemberRules({
    members: {
      attachments: members === 'all',
      pdf_attachments: members === 'all',
      tables: false,
      max_files: maxMembers,
    },
  });
}

/** Limits for everything that a task extracts from its sources. */
export interface MemberBudget {
  files: number;
  bytes: number;
}

/** Returns the whole budget of a task. */
export function createMemberBudget({ maxFiles, maxBytes }: MemberRules): MemberBudget {
  return { files: maxFiles, bytes: maxBytes };
}

interface Opening {
  taskId: string;
  /** Index of the source in the request. */
  index: number;
  source: Exclude<TaskSource, BucketSource>;
  rules: MemberRules;
  password: string | undefined;
  /** Remaining files and bytes that the task may extract. */
  left: MemberBudget;
  signal: AbortSignal;
}

/**
 * Returns the source and the documents within it, in file order; an archive or mailbox is replaced by its members. Their bytes
 * are stored under keys of the task, so that a repeated call writes the same files. A file that cannot be opened becomes a
 * document that fails with the reason.
 */
export async function openSource(deps: ConvertDeps, opening: Opening): Promise<DocumentSource[]> {
  const { source, rules, left, password, signal } = opening;
  const secret = password === undefined ? {} : { password };
  const { uri } = buildName(source);
  try {
    const { name, load } = await loadSource(deps, source, signal);
    // A fresh copy per call, because the thread takes ownership of the bytes.
    const limited = { ...rules, maxBytes: Math.max(1, left.bytes) };
    const member = await deps.members.find({ name, bytes: await load(), rules: limited, ...secret }, signal);
    const { isContainer, members } = member;
    if (members.length > left.files) throw createTooManyError(uri, members.length, left.files);
    left.files -= members.length;
    left.bytes -= members.reduce((sum, { size }) => sum + size, 0);
    const keptMembers = await keepMembers(deps, { ...opening, name, load, found: member });
    return isContainer ? keptMembers : [source, ...keptMembers];
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = asAppError(error);
    if (errorCatalogue[code].scope !== 'document') throw error;
    return [{ kind: 'unreadable', filename: uri, code, message }];
  }
}

function createTooManyError(name: string, count: number, left: number): AppError {
  const message = `'${name}' holds ${countNouns(count, 'file')}; the task may extract only ${left} more of at most ${maxMembers}.`;
  return new AppError('DOCUMENT_TOO_LARGE', message);
}

async function loadSource(
  { files, fetcher, settings }: ConvertDeps,
  source: Opening['source'],
  signal: AbortSignal,
): Promise<{ name: string; load: () => Promise<Uint8Array> }> {
  if (source.kind === 'file') {
    checkSize(source.size, settings.maxFileSize);
    return { name: buildName(source).filename, load: () => files.get(source.key) };
  }
  const { bytes, filename } = await fetcher.fetch(source, signal);
  checkSize(bytes.byteLength, settings.maxFileSize);
  return { name: filename, load: async () => bytes.slice() };
}

async function keepMembers(
  deps: ConvertDeps,
  opened: Opening & { name: string; load: () => Promise<Uint8Array>; found: FoundMembers },
): Promise<DocumentSource[]> {
  const { source, found, name, load, rules, password, signal } = opened;
  const secret = password === undefined ? {} : { password };
  const { uri } = buildName(source);
  for (const portion of listPortions(found.members)) {
    const extracted = await deps.members.find({ name, bytes: await load(), rules, ...secret, wanted: portion }, signal);
    for (const { path, bytes } of extracted.members) if (bytes) await deps.files.put(buildKey(opened, path), bytes);
  }
  return found.members.map((member) => {
    const filename = buildMemberPath(uri, member.path);
    if (member.problem) return { kind: 'unreadable', filename, ...member.problem };
    return { kind: 'file', key: buildKey(opened, member.path), filename, size: member.size };
  });
}

function buildKey({ taskId, index }: Pick<Opening, 'taskId' | 'index'>, path: string): string {
  return `${buildMembersPrefix(taskId)}${index}/${hash('sha256', path)}`;
}

function listPortions(members: readonly FoundMember[]): string[][] {
  const portions: string[][] = [];
  let size = Infinity;
  for (const { path, problem, size: bytes } of members) {
    if (problem) continue;
    if (size + bytes > portionBytes) {
      portions.push([]);
      size = 0;
    }
    portions.at(-1)!.push(path);
    size += bytes;
  }
  return portions;
}
