import type { ErrorCode } from '../../model/errors';
import type { MemberRules } from '../../model/source/member-settings';

/** A file and the requested files within it. */
export interface MemberTask {
  name: string;
  /** The call transfers and so detaches their buffer, unless they are only a part of it. */
  bytes: Uint8Array;
  rules: MemberRules;
  /** Opens encrypted entries of ZIP archives. */
  password?: string;
  /** Paths of the members whose bytes to return. By default, all members are listed without bytes. */
  wanted?: readonly string[];
}

/** A file within a file. */
export interface FoundMember {
  path: string;
  size: number;
  /** SHA-256 of the bytes, hexadecimal; empty with a problem. */
  hash: string;
  /** Set for wanted members only. */
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

/** Opens archives, mailboxes, messages and Office documents in a worker thread, with limits on size, depth, number and time. */
export interface Members {
  /** Throws AppError if the file cannot be opened. */
  find(task: MemberTask, signal: AbortSignal): Promise<FoundMembers>;
}
