/** Status codes of Windows ([MS-ERREF] 2.3.1) that decide something. */
export const statuses = {
  success: 0,
  noMoreFiles: 0x80000006,
  moreProcessing: 0xc0000016,
  endOfFile: 0xc0000011,
  accessDenied: 0xc0000022,
  noSuchFile: 0xc000000f,
  nameNotFound: 0xc0000034,
  nameInvalid: 0xc0000033,
  pathNotFound: 0xc000003a,
  deletePending: 0xc0000056,
  logonFailure: 0xc000006d,
  badNetworkName: 0xc00000cc,
  notADirectory: 0xc0000103,
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

const reasons: ReadonlyMap<number, string> = new Map([
  [statuses.logonFailure, 'user name or password is wrong'],
  [statuses.accessDenied, 'access denied'],
  [0xc0000071, 'the password has expired'],
  [0xc0000072, 'the account is disabled'],
  [0xc0000193, 'the account has expired'],
  [0xc0000224, 'the password must be changed'],
  [0xc0000234, 'the account is locked'],
  [0xc000015b, 'the account may not sign in over the network'],
  [0xc000005e, 'the server finds no domain controller'],
  [0xc0000418, 'the server does not accept NTLM'],
]);

/** The code in brackets for messages, with the known reason in words. */
export function describeStatus(status: number): string {
  const code = `0x${status.toString(16).padStart(8, '0')}`;
  const reason = reasons.get(status);
  return reason === undefined ? ` (${code})` : ` (${reason}, ${code})`;
}
