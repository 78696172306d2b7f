import { AppError } from '../../../../model/errors';
import type { WindowsEntry, WindowsRights } from '../../../../model/source/rights/windows-rights';

/** Flags of a descriptor and of an entry. */
const listPresent = 0x4;
const inheritOnly = 0x8;
/** Types of entries: `plain` entries always apply, `conditional` ones under a condition, `object` ones to directory objects. */
const types: ReadonlyMap<number, { allows: boolean; isConditional: boolean; isObject: boolean }> = new Map([
  [0, { allows: true, isConditional: false, isObject: false }],
  [1, { allows: false, isConditional: false, isObject: false }],
  [5, { allows: true, isConditional: true, isObject: true }],
  [6, { allows: false, isConditional: true, isObject: true }],
  [9, { allows: true, isConditional: true, isObject: false }],
  [10, { allows: false, isConditional: true, isObject: false }],
  [11, { allows: true, isConditional: true, isObject: true }],
  [12, { allows: false, isConditional: true, isObject: true }],
]);
const [hasObjectType, hasInheritedType] = [1, 2] as const;

/**
 * Reads a self-relative security descriptor ([MS-DTYP] 2.4.6). Throws ACCESS_LIST_INVALID for one that cannot be read, or that
 * does not say whether there is a list.
 */
export function readDescriptor(bytes: Buffer): WindowsRights {
  try {
    if (bytes.readUInt8(0) !== 1 || (bytes.readUInt16LE(2) & listPresent) === 0) throw createInvalidError();
    const [owner, list] = [bytes.readUInt32LE(4), bytes.readUInt32LE(16)];
    return {
      owner: owner === 0 ? '' : readSid(bytes.subarray(owner)),
      entries: list === 0 ? undefined : readList(bytes.subarray(list)),
    };
  } catch (error) {
    throw error instanceof AppError ? error : createInvalidError(error);
  }
}

function readList(bytes: Buffer): WindowsEntry[] {
  const list = bytes.subarray(0, bytes.readUInt16LE(2));
  const count = list.readUInt16LE(4);
  const entries: WindowsEntry[] = [];
  for (let at = 8; entries.length < count;) {
    const size = list.readUInt16LE(at + 2);
    const entry = list.subarray(at, at + size);
    if (size < 8 || entry.length < size) throw createInvalidError();
    at += size;
    const type = types.get(entry.readUInt8(0));
    // An unknown type may be anything, so the list cannot be used.
    if (!type) throw createInvalidError();
    const objectFlags = type.isObject ? entry.readUInt32LE(8) : 0;
    const objectBytes =
      (type.isObject ? 4 : 0) + (objectFlags & hasObjectType ? 16 : 0) + (objectFlags & hasInheritedType ? 16 : 0);
    entries.push({
      sid: readSid(entry.subarray(8 + objectBytes)),
      allows: type.allows,
      mask: entry.readUInt32LE(4),
      isInheritOnly: (entry.readUInt8(1) & inheritOnly) !== 0,
      isConditional: type.isConditional,
    });
  }
  return entries;
}

/** `S-1-5-21-…`. Authorities above 2^32 do not occur, and are not valid here. */
function readSid(bytes: Buffer): string {
  const count = bytes.readUInt8(1);
  if (bytes.readUInt8(0) !== 1 || count > 15 || bytes.readUInt16BE(2) !== 0) throw createInvalidError();
  const parts = Array.from({ length: count }, (_, index) => bytes.readUInt32LE(8 + index * 4));
  return ['S-1', bytes.readUInt32BE(4), ...parts].join('-');
}

function createInvalidError(cause?: unknown): AppError {
  return new AppError('ACCESS_LIST_INVALID', 'the permissions of the file cannot be read', {}, cause);
}
