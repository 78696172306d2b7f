import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { AppError } from '../../../../model/errors';
import type { SmbSourceSettings } from '../../../../model/source/smb-source';
import { commands, headerBytes, type Reply, SmbConnection } from './connection';
import { answerChallenge, writeNegotiate } from './ntlm';
import { createProtection } from './protection';
import { describeStatus, statuses } from './status';

/** 2.0.2, 2.1, 3.0 and 3.0.2. */
const dialects = [0x0202, 0x0210, 0x0300, 0x0302];
const signingRequired = 2;
const canEncrypt = 0x40;
const largeCredits = 0x4;
/** Flags of a session whose account is a guest or nobody. */
const guestOrNobody = 0x3;
const diskShare = 1;

/**
 * Signs in with NTLMv2 and opens the share. Every later message is signed, and encrypted if the server can; a server that signs in
 * a guest instead of the account is refused.
 */
export async function openShare(socket: Socket, settings: SmbSourceSettings): Promise<SmbConnection> {
  const { host, port, share, encryption } = settings;
  const place = `${host}:${port}`;
  const connection = new SmbConnection(socket, place);
  try {
    const { dialect, capabilities } = await negotiate(connection, place);
    const mayEncrypt = dialect >= 0x0300 && (capabilities & canEncrypt) !== 0;
    if (encryption === 'required' && !mayEncrypt)
      throw new AppError('CONNECTION_ERROR', `${place} cannot encrypt, which the setting encryption requires.`, {
        isFinal: true,
      });
    await signIn(connection, settings, { dialect, place });
    connection.isEncrypted = mayEncrypt;
    const reply = await connection.send(commands.treeConnect, writeTreeConnect(`\\\\${host}\\${share}`));
    if (reply.status !== statuses.success) throw createShareError(`The share '${share}' of ${place}`, reply.status);
    if (reply.body.length < 16 || reply.body[2] !== diskShare)
      throw new AppError('SOURCE_NOT_FOUND', `The share '${share}' of ${place} has no files.`);
    connection.treeId = reply.message.readUInt32LE(36);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function negotiate(connection: SmbConnection, place: string): Promise<{ dialect: number; capabilities: number }> {
  const body = Buffer.alloc(36 + dialects.length * 2);
  body.writeUInt16LE(36, 0);
  body.writeUInt16LE(dialects.length, 2);
  body.writeUInt16LE(signingRequired, 4);
  body.writeUInt32LE(canEncrypt | largeCredits, 8);
  randomBytes(16).copy(body, 12);
  for (const [index, dialect] of dialects.entries()) body.writeUInt16LE(dialect, 36 + index * 2);
  const { status, body: answer } = await connection.send(commands.negotiate, body);
  const dialect = answer.length >= 64 ? answer.readUInt16LE(4) : 0;
  if (status !== statuses.success || !dialects.includes(dialect))
    throw new AppError('CONNECTION_ERROR', `${place} does not offer SMB 2 or 3.0${describeStatus(status)}.`, {
      isFinal: true,
    });
  return { dialect, capabilities: answer.readUInt32LE(24) };
}

async function signIn(
  connection: SmbConnection,
  { host, account }: SmbSourceSettings,
  { dialect, place }: { dialect: number; place: string },
): Promise<void> {
  const negotiate = writeNegotiate();
  const challenge = await connection.send(commands.sessionSetup, writeSessionSetup(negotiate));
  if (challenge.status !== statuses.moreProcessing) throw createSignInError(place, challenge.status);
  connection.sessionId = challenge.message.readBigUInt64LE(40);
  const { message, sessionKey } = answerChallenge(readToken(challenge), account, { negotiate, host });
  const reply = await connection.send(commands.sessionSetup, writeSessionSetup(message));
  if (reply.status !== statuses.success) throw createSignInError(place, reply.status);
  // The server does not know the account, and would show what guests may see.
  if (reply.body.readUInt16LE(2) & guestOrNobody) throw createSignInError(place, statuses.logonFailure);
  const protection = createProtection(sessionKey, dialect, connection.sessionId);
  // Only a server that knows the password can sign.
  if (!protection.isSigned(reply.message))
    throw new AppError('INVALID_RESPONSE', `${place} did not prove that it knows the account.`);
  connection.protection = protection;
}

function writeSessionSetup(token: Buffer): Buffer {
  const body = Buffer.alloc(24);
  body.writeUInt16LE(25, 0);
  body[3] = signingRequired;
  body.writeUInt16LE(headerBytes + 24, 12);
  body.writeUInt16LE(token.length, 14);
  return Buffer.concat([body, token]);
}

function readToken({ message, body }: Reply): Buffer {
  if (body.length < 8) return Buffer.alloc(0);
  const start = body.readUInt16LE(4);
  return message.subarray(start, start + body.readUInt16LE(6));
}

function writeTreeConnect(path: string): Buffer {
  const name = Buffer.from(path, 'utf16le');
  const body = Buffer.alloc(8);
  body.writeUInt16LE(9, 0);
  body.writeUInt16LE(headerBytes + 8, 4);
  body.writeUInt16LE(name.length, 6);
  return Buffer.concat([body, name]);
}

function createSignInError(place: string, status: number): AppError {
  return new AppError('SOURCE_SIGN_IN_FAILED', `${place} does not accept these credentials${describeStatus(status)}.`);
}

function createShareError(share: string, status: number): AppError {
  if (status === statuses.badNetworkName) return new AppError('SOURCE_NOT_FOUND', `${share} does not exist.`);
  if (status === statuses.accessDenied)
    return new AppError('SOURCE_NOT_ALLOWED', `${share} is closed to this account${describeStatus(status)}.`);
  return new AppError('EXTERNAL_SERVICE_ERROR', `${share} cannot be opened${describeStatus(status)}.`);
}
