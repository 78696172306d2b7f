import { AppError, asAppError } from '../../model/errors';
import { detectFormat } from '../detect';
import { defaultLimits } from '../format';
import { listArchiveEntries, isArchive, type MemberBudget } from './archive';
import { isContainer, isLargeTable } from './holders';

/** Limits for one file together with everything inside it. */
export interface MemberLimits {
  /** Maximum depth of nested archives and documents; 1: only files directly in the file. */
  maxDepth: number;
  maxEntries: number;
  maxExpandedBytes: number;
}

export const defaultMemberLimits: MemberLimits = {
  maxDepth: 3,
  maxEntries: defaultLimits.maxEntries,
  maxExpandedBytes: defaultLimits.maxExpandedBytes,
};

/** A file inside a file. */
export type Member = MemberFile | MemberProblem;
export interface MemberFile {
  /** Names from the outermost to the innermost file, separated by `/`: `mail.zip/letter.eml/offer.pdf` without the outermost one. Safe as a path. */
  path: string;
  bytes: Uint8Array;
}
/** A member that could not be extracted. The others are not affected. */
export interface MemberProblem {
  path: string;
  problem: AppError;
}

/** Selects the members to extract from a file. */
export interface MemberChoice {
  /** Includes attachments of messages and PDF files and documents embedded in Office documents, in addition to files of archives. */
  embedded: boolean;
  /** False leaves out the attachments of PDF files. Default: as `embedded`. */
  ofPdf?: boolean;
  /** Each message of a mailbox is a separate file. Default: a mailbox is one document. */
  messages?: boolean;
  /** Each group of rows of a large table is a CSV file. Default: such a table is one document. */
  tables?: boolean;
  limits?: MemberLimits;
  /** Password for encrypted ZIP entries. */
  password?: string;
  /** Extracts only these paths; others are read only if they contain a wanted one. Default: all. */
  wanted?: ReadonlySet<string>;
}

/**
 * Extracts the files of an archive and, with `embedded`, the attachments of messages and the documents embedded in Office
 * documents, at any depth up to the limit. Files of one archive are in archive order, each before its own members. The same
 * bytes give the same paths. Hidden files are skipped. Throws AppError if nothing in the file can be opened.
 */
export async function* membersOf(
  file: { name: string; bytes: Uint8Array },
  {
    embedded,
    ofPdf = embedded,
    messages = false,
    tables = false,
    limits = defaultMemberLimits,
    password,
    wanted,
  }: MemberChoice,
): AsyncGenerator<Member> {
  const budget: MemberBudget = { entries: limits.maxEntries, bytes: limits.maxExpandedBytes };
  const prefixes = wanted && collectPrefixes(wanted);
  const isWanted = (path: string) => !wanted || wanted.has(path) || prefixes!.has(path);
  yield* listWithin(file, {
    embedded,
    ofPdf,
    messages,
    tables,
    limits,
    password,
    budget,
    isWanted,
    depth: 1,
    path: '',
  });
}

/** The paths of all files that contain the wanted ones. */
function collectPrefixes(paths: ReadonlySet<string>): Set<string> {
  const prefixes = new Set<string>();
  for (const path of paths)
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) prefixes.add(path.slice(0, at));
  return prefixes;
}

interface OpenedFile {
  password: string | undefined;
  embedded: boolean;
  ofPdf: boolean;
  messages: boolean;
  tables: boolean;
  isWanted: (path: string) => boolean;
  limits: MemberLimits;
  budget: MemberBudget;
  depth: number;
  /** Path of the opened file; empty for the outermost one. */
  path: string;
}

async function* listWithin(file: { name: string; bytes: Uint8Array }, opened: OpenedFile): AsyncGenerator<Member> {
  const taken = new Set<string>();
  for (const { name, read } of await readEntries(file, opened)) {
    const safe = toSafePath(name);
    if (safe === undefined) continue;
    const path = nameDistinctly(opened.path === '' ? safe : `${opened.path}/${safe}`, taken);
    if (opened.isWanted(path)) yield* openEntry({ path, read }, opened);
  }
}

async function* openEntry(entry: { path: string; read: () => Uint8Array }, opened: OpenedFile): AsyncGenerator<Member> {
  const { path } = entry;
  const { budget, limits, depth } = opened;
  const content = attempt(() => {
    const isSpent = () => budget.entries < 0 || budget.bytes < 0;
    budget.entries -= 1;
    const bytes = isSpent() ? undefined : entry.read();
    budget.bytes -= bytes?.length ?? 0;
    if (bytes !== undefined && !isSpent()) return bytes;
    const { maxEntries, maxExpandedBytes } = limits;
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `'${path}' was not extracted: the limit is ${maxEntries} files and ${maxExpandedBytes} bytes for all files together.`,
    );
  });
  if (content instanceof AppError) {
    yield { path, problem: content };
    return;
  }
  const inner = { name: path, bytes: content };
  const isOpened = isContainer(inner, opened);
  if (!isOpened) yield { path, bytes: content };
  if (!isOpened && !opened.embedded) return;
  if (depth >= limits.maxDepth) {
    if (isOpened) yield { path, problem: createTooDeepError(path, limits.maxDepth) };
    return;
  }
  try {
    yield* listWithin(inner, { ...opened, depth: depth + 1, path });
  } catch (error) {
    // A document that cannot be opened here will fail in its conversion.
    if (isOpened) yield { path, problem: asAppError(error, 'CONVERSION_FAILED') };
  }
}

async function readEntries(
  { name, bytes }: { name: string; bytes: Uint8Array },
  { embedded, ofPdf, messages, tables, limits, budget, password }: OpenedFile,
): Promise<Iterable<{ name: string; read: () => Uint8Array }>> {
  if (isArchive(name, bytes)) return listArchiveEntries(name, bytes, { budget, password });
  if (tables && isLargeTable(name, bytes)) {
    const { listTableFiles } = await import('./tables');
    return listTableFiles(name, bytes, limits);
  }
  // Loads the readers of messages, notes and PDF files, which most documents do not need.
  const { listEmbeddedFiles, listMessageFiles } = await import('./embedded');
  if (isContainer({ name, bytes }, { messages }))
    return listMessageFiles(name, bytes, { ...defaultLimits, maxEntries: limits.maxEntries });
  const format = embedded ? detectFormat({ name, head: bytes })?.name : undefined;
  if (format === undefined || (format === 'pdf' && !ofPdf)) return [];
  const readLimits = { ...defaultLimits, maxExpandedBytes: Math.max(0, budget.bytes), maxEntries: limits.maxEntries };
  const files = await listEmbeddedFiles(format, bytes, { name, limits: readLimits });
  return files.map((file) => ({ name: file.name, read: () => file.bytes }));
}

function attempt(read: () => Uint8Array): Uint8Array | AppError {
  try {
    return read();
  } catch (error) {
    return asAppError(error, 'DOCUMENT_CORRUPT');
  }
}

function createTooDeepError(path: string, maxDepth: number): AppError {
  return new AppError('DOCUMENT_TOO_LARGE', `'${path}' is nested more than ${maxDepth} files deep.`);
}

/** Longer names are shortened before their extension, because file systems allow 255 bytes. */
const maxNameLength = 120;

/** Returns a relative path without `..` and forbidden characters; undefined for hidden files. */
function toSafePath(name: string): string | undefined {
  const parts = name
    .replaceAll('\\', '/')
    .split('/')
    .map((part) => part.replace(/[\p{Cc}\p{Cf}<>:"|?*]/gu, '_').trim())
    .filter((part) => part !== '' && part !== '.' && part !== '..');
  if (parts.length === 0 || parts.some((part) => part.startsWith('.') || part === '__MACOSX')) return undefined;
  return parts.map(shortenPart).join('/');
}

function shortenPart(part: string): string {
  if (part.length <= maxNameLength) return part;
  const dot = part.lastIndexOf('.');
  const extension = dot > 0 && part.length - dot <= 20 ? part.slice(dot) : '';
  return part.slice(0, maxNameLength - extension.length) + extension;
}

/** Numbers a repeated path; case-insensitive. */
function nameDistinctly(path: string, usedNames: Set<string>): string {
  let uniquePath = path;
  for (let number = 2; usedNames.has(uniquePath.toLowerCase()); number++) {
    const dot = path.lastIndexOf('.');
    uniquePath =
      dot > path.lastIndexOf('/') + 1 ? `${path.slice(0, dot)}-${number}${path.slice(dot)}` : `${path}-${number}`;
  }
  usedNames.add(uniquePath.toLowerCase());
  return uniquePath;
}
