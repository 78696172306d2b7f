import type { ErrorCode } from '../../model/errors';
import type { MemberRules } from '../../model/source/member-settings';

/** A file and the requested files within it. */
export interface MemberTask {
  name: string;
  /** Detached by the call when they fill their whole buffer. */
  bytes: Uint8Array;
  rules: MemberRules;
  /** Opens encrypted entries of ZIP archives. */
  password?: string;
  /** Paths of members. Only their bytes are returned; without it, facts of all members and no bytes. */
  wanted?: readonly string[];
}

/** A file within a file. */
export interface FoundMember {
  path: string;
  size: number;
  /** SHA-256 of the bytes, hexadecimal; empty with a problem. */
  hash: string;
  /** Only of wanted members. */
  bytes?: Uint8Array;
  /** The reason why the member could not be extracted. */
  problem?: { code: ErrorCode; message: string };
}

/** The content of a file. `isContainer`: the file itself is not a document. */
export interface FoundMembers {
  isContainer: boolean;
  members: FoundMember[];
}

/** Answer of a thread. */
export type MemberAnswer = { found: FoundMembers } | { failure: { code: ErrorCode; message: string } };

/** Opens archives, mailboxes, messages and Office documents in a worker thread, with limits of size, depth, number and time. */
export interface Members {
  /** Throws AppError if the file cannot be opened. */
  find(task: MemberTask, signal: AbortSignal): Promise<FoundMembers>;
}
