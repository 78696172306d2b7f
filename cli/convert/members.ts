import path from 'node:path';
import { Option } from 'commander';
import { isArchive } from '../../formats/members/archive';
import { findHolderKind, isArchiveName } from '../../formats/members/holders';
import { defaultMemberLimits, type Member, type MemberLimits, membersOf } from '../../formats/members/members';
import { AppError, asAppError } from '../../model/errors';
import type { ConvertedFile } from './report';
import { createWholeNumberParser } from './whole-number';

/** Something to convert: a file, or a file within a file. */
export interface Item {
  /** As the report names it: `papers.zip/2024/offer.docx`. */
  label: string;
  /** The file name, which indicates the format. */
  name: string;
  /** The folder of related files; undefined for a file within a file. */
  folder?: string;
  /** For its outputs, relative to the output folder and without extension. */
  target: string;
  /** True if a format that cannot be read is a failure. */
  isRequired: boolean;
  load: () => Promise<Uint8Array>;
}

/** Command-line options for files within files. */
export interface MemberOptions {
  attachments?: boolean;
  memberDepth: number;
  memberSize: number;
}

const bytesPerMb = 1024 * 1024;

/** The options of `docloom convert` for archives, attachments and embedded documents. */
export function createMemberOptions(): Option[] {
  return [
    new Option(
      '--attachments',
      'also convert the attachments of messages, notes and PDF files and the documents within Office documents',
    ),
    new Option('--member-depth <n>', 'maximum depth of nested archives and documents')
      .argParser(createWholeNumberParser(1))
      .default(defaultMemberLimits.maxDepth),
    new Option('--member-size <mb>', 'maximum megabytes that are extracted from one file')
      .argParser(createWholeNumberParser(1))
      .default(defaultMemberLimits.maxExpandedBytes / bytesPerMb),
  ];
}

/** The limits that these options set; all others keep their defaults. */
export function buildMemberLimits({ memberDepth, memberSize }: MemberOptions): MemberLimits {
  return { ...defaultMemberLimits, maxDepth: memberDepth, maxExpandedBytes: memberSize * bytesPerMb };
}

/** True if a file of that name may contain others. Whether it does is known only once it is opened. */
export function mayHoldFiles(name: string, embedded: boolean): boolean {
  return isArchiveName(name) || (embedded && findHolderKind(name) !== undefined);
}

interface MemberWork {
  embedded: boolean;
  /** Opens encrypted entries of ZIP archives. */
  password?: string;
  limits: MemberLimits;
  jobs: number;
  signal: AbortSignal;
  convert: (item: Item) => Promise<ConvertedFile>;
}

/**
 * Converts the files of an archive, or a document and its attachments. Outputs of members are in the folder `NAME.files` next
 * to those of the file, under the path of the member with its extension, so that each has the same name in every run.
 */
export async function convertMembers(item: Item, work: MemberWork): Promise<ConvertedFile[]> {
  const bytes = await item.load().catch((error: unknown) => asAppError(error, 'CONVERSION_FAILED'));
  if (bytes instanceof AppError) return [toFailedFile(item.label, bytes)];
  const isArchiveFile = isArchive(item.name, bytes);
  const ownResult = isArchiveFile ? [] : [await work.convert(item)];
  const files: ConvertedFile[] = [];
  try {
    const { embedded, limits, password } = work;
    const options = { embedded, limits, ...(password === undefined ? {} : { password }) };
    const members = membersOf({ name: item.name, bytes }, options);
    await forEachMember(members, work, async (member, index) => {
      files[index] = await convertMember(item, member, work);
    });
  } catch (error) {
    if (work.signal.aborted) throw error;
    // The document itself reports why it cannot be read.
    if (isArchiveFile) return [...files, toFailedFile(item.label, asAppError(error, 'CONVERSION_FAILED'))];
  }
  if (isArchiveFile && files.length === 0)
    return [{ ...createEmptyResult(item.label), status: 'skipped', messages: ['It holds no files.'] }];
  return [...ownResult, ...files];
}

async function convertMember(parent: Item, member: Member, work: MemberWork): Promise<ConvertedFile> {
  const label = `${parent.label}/${member.path}`;
  if ('problem' in member) return toFailedFile(label, member.problem);
  const target = path.join(path.dirname(parent.target), `${parent.name}.files`, ...member.path.split('/'));
  return work.convert({
    label,
    name: path.basename(member.path),
    target,
    isRequired: false,
    // The bytes may be a part of the archive's, which other members need.
    load: () => Promise.resolve(new Uint8Array(member.bytes)),
  });
}

/** Calls `handle` for each member, with at most `jobs` members extracted at a time. */
async function forEachMember(
  members: AsyncGenerator<Member>,
  { jobs, signal }: MemberWork,
  handle: (member: Member, index: number) => Promise<void>,
): Promise<void> {
  let count = 0;
  const handleNext = async () => {
    for (;;) {
      const { value, done } = await members.next();
      if (done) return;
      signal.throwIfAborted();
      const index = count;
      count += 1;
      await handle(value, index);
    }
  };
  // Members that are being converted are finished, even if the next one cannot be extracted.
  const results = await Promise.allSettled(Array.from({ length: Math.max(1, jobs) }, handleNext));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

function toFailedFile(source: string, { code, message }: AppError): ConvertedFile {
  return { ...createEmptyResult(source), status: 'failure', code, messages: [message] };
}

function createEmptyResult(source: string): Omit<ConvertedFile, 'status'> {
  return { source, format: null, pages: 0, seconds: 0, outputs: [], replaced: 0, messages: [] };
}
