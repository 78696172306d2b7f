/** Status codes of Windows ([MS-ERREF] 2.3.1) that decide something. */
export const statuses = {
  success: 0,
  bufferOverflow: 0x80000005,
  noMoreFiles: 0x80000006,
  moreProcessing: 0xc0000016,
  endOfFile: 0xc0000011,
  accessDenied: 0xc0000022,
  noSuchFile: 0xc000000f,
  nameNotFound: 0xc0000034,
  nameInvalid: 0xc0000033,
  pathNotFound: 0xc000003a,
  deletePending: 0xc0000056,
  sharingViolation: 0xc0000043,
  logonFailure: 0xc000006d,
  badNetworkName: 0xc00000cc,
  notADirectory: 0xc0000103,
  fileIsADirectory: 0xc00000ba,
  bufferTooSmall: 0xc0000023,
  networkSessionExpired: 0xc000035c,
} as const;

const missing: ReadonlySet<number> = new Set([
  statuses.noSuchFile,
  statuses.nameNotFound,
  statuses.pathNotFound,
  statuses.nameInvalid,
  statuses.deletePending,
  statuses.notADirectory,
]);

/** True if a file or folder does not exist. */
export function isMissing(status: number): boolean {
  return missing.has(status);
}

/** The code in brackets, for messages. */
export function describeStatus(status: number): string {
  return ` (0x${status.toString(16).padStart(8, '0')})`;
}
