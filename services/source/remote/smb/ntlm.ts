import { createHmac, randomBytes } from 'node:crypto';
import { AppError } from '../../../../model/errors';
import { hashMd4 } from './md4';

/** The account that signs in; `domain` is empty for a local account or a user principal name. */
export interface NtlmAccount {
  domain: string;
  username: string;
  password: string;
}

const signature = Buffer.from('NTLMSSP\0', 'latin1');
/**
 * Unicode, request target, sign, NTLM, always sign, extended session security, target info, version, 128 bits. Without key
 * exchange, which needs RC4.
 */
const flags = (0x1 | 0x4 | 0x10 | 0x200 | 0x8000 | 0x80000 | 0x800000 | 0x2000000 | 0x20000000) >>> 0;
const version = Buffer.from([10, 0, 0, 0, 0, 0, 0, 15]);
/** Kinds of target information. */
const [endOfList, flagsOf, timestamp, targetName] = [0, 6, 7, 9] as const;
const providesMic = 2;
const micAt = 72;
const headerBytes = 88;

/** The first message of NTLM ([MS-NLMP] 2.2.1.1). */
export function writeNegotiate(): Buffer {
  const message = Buffer.alloc(40);
  signature.copy(message);
  message.writeUInt32LE(1, 8);
  message.writeUInt32LE(flags, 12);
  version.copy(message, 32);
  return message;
}

/**
 * Answers the challenge of a server with NTLMv2; the password itself is never sent. `sessionKey` signs what follows. Throws
 * INVALID_RESPONSE if the challenge cannot be read.
 */
export function answerChallenge(
  challenge: Buffer,
  account: NtlmAccount,
  { negotiate, host, random = randomBytes(8) }: { negotiate: Buffer; host: string; random?: Buffer },
): { message: Buffer; sessionKey: Buffer } {
  const { serverChallenge, info } = readChallenge(challenge);
  const time = info.find(({ kind }) => kind === timestamp)?.value;
  const target = writeInfo([
    ...info.filter(({ kind }) => kind !== targetName && kind !== flagsOf),
    ...(time ? [{ kind: flagsOf, value: Buffer.from([providesMic, 0, 0, 0]) }] : []),
    { kind: targetName, value: encodeUtf16(`cifs/${host}`) },
  ]);
  const hash = hashMd4(encodeUtf16(account.password));
  const key = computeHmacMd5(hash, encodeUtf16(account.username.toUpperCase() + account.domain));
  const head = Buffer.concat([Buffer.from([1, 1, 0, 0, 0, 0, 0, 0]), time ?? encodeNow(), random, Buffer.alloc(4)]);
  const blob = Buffer.concat([head, target, Buffer.alloc(4)]);
  const proof = computeHmacMd5(key, Buffer.concat([serverChallenge, blob]));
  const sessionKey = computeHmacMd5(key, proof);
  const message = writeAuthenticate(account, Buffer.concat([proof, blob]));
  if (time) computeHmacMd5(sessionKey, Buffer.concat([negotiate, challenge, message])).copy(message, micAt);
  return { message, sessionKey };
}

interface TargetInfo {
  kind: number;
  value: Buffer;
}

function readChallenge(challenge: Buffer): { serverChallenge: Buffer; info: TargetInfo[] } {
  const isChallenge = challenge.length >= 48 && challenge.subarray(0, 8).equals(signature);
  if (!isChallenge || challenge.readUInt32LE(8) !== 2) throw createUnreadableError();
  const start = challenge.readUInt32LE(44);
  const end = start + challenge.readUInt16LE(40);
  if (end > challenge.length) throw createUnreadableError();
  const info: TargetInfo[] = [];
  for (let at = start; at + 4 <= end;) {
    const kind = challenge.readUInt16LE(at);
    const length = challenge.readUInt16LE(at + 2);
    if (kind === endOfList) break;
    if (at + 4 + length > end) throw createUnreadableError();
    info.push({ kind, value: challenge.subarray(at + 4, at + 4 + length) });
    at += 4 + length;
  }
  if (info.some(({ kind, value }) => kind === timestamp && value.length !== 8)) throw createUnreadableError();
  return { serverChallenge: challenge.subarray(24, 32), info };
}

function writeInfo(info: readonly TargetInfo[]): Buffer {
  const parts = [...info, { kind: endOfList, value: Buffer.alloc(0) }].flatMap(({ kind, value }) => {
    const head = Buffer.alloc(4);
    head.writeUInt16LE(kind, 0);
    head.writeUInt16LE(value.length, 2);
    return [head, value];
  });
  return Buffer.concat(parts);
}

function writeAuthenticate({ domain, username }: NtlmAccount, response: Buffer): Buffer {
  const head = Buffer.alloc(headerBytes);
  signature.copy(head);
  head.writeUInt32LE(3, 8);
  let end = headerBytes;
  const fields: [number, Buffer][] = [
    [12, Buffer.alloc(24)],
    [20, response],
    [28, encodeUtf16(domain)],
    [36, encodeUtf16(username)],
    [44, Buffer.alloc(0)],
    [52, Buffer.alloc(0)],
  ];
  for (const [at, value] of fields) {
    head.writeUInt16LE(value.length, at);
    head.writeUInt16LE(value.length, at + 2);
    head.writeUInt32LE(end, at + 4);
    end += value.length;
  }
  head.writeUInt32LE(flags, 60);
  version.copy(head, 64);
  return Buffer.concat([head, ...fields.map(([, value]) => value)]);
}

/** The current time in 100-nanosecond intervals since 1601. */
function encodeNow(): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE((BigInt(Date.now()) + 11_644_473_600_000n) * 10_000n);
  return bytes;
}

function computeHmacMd5(key: Buffer, data: Buffer): Buffer {
  return createHmac('md5', key).update(data).digest();
}

function encodeUtf16(text: string): Buffer {
  return Buffer.from(text, 'utf16le');
}

function createUnreadableError(): AppError {
  return new AppError('INVALID_RESPONSE', 'The server’s request for the sign-in (NTLM) cannot be read.');
}
