import type { Socket } from 'node:net';
import { AppError } from '../../../../model/errors';
import { envelopeId, type Protection } from './protection';

/** Commands of the protocol. */
export const commands = {
  negotiate: 0,
  sessionSetup: 1,
  treeConnect: 3,
  create: 5,
  close: 6,
  read: 8,
  queryDirectory: 14,
  queryInfo: 16,
} as const;

/** The answer of the server. `body` follows the header; offsets in it count from the start of the header. */
export interface Reply {
  status: number;
  message: Buffer;
  body: Buffer;
}

/** The length of a header. */
export const headerBytes = 64;
const messageId = Buffer.from([0xfe, 0x53, 0x4d, 0x42]);
const pending = 0x103;
const isResponse = 0x1;
/** A server may accept a connection and never answer. */
const answerMs = 60_000;
/** Larger than any requested response. */
const maxMessageBytes = 1024 * 1024;
/** The number of requests that the server is asked to allow at a time, and the most that are sent. */
const wantedCredits = 32;
const maxCredits = 512;
/** The id of messages that the server sends unasked, such as the break of a lease. */
const unsolicitedId = 0xffff_ffff_ffff_ffffn;

interface Waiting {
  command: number;
  resolve(reply: Reply): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/**
 * Requests and replies of SMB 2 over one socket, several at a time ([MS-SMB2]). Once `protection` is set, requests are signed or
 * encrypted, and replies without a valid signature end the connection.
 */
export class SmbConnection {
  sessionId = 0n;
  treeId = 0;
  protection: Protection | undefined;
  isEncrypted = false;
  readonly #socket: Socket;
  readonly #place: string;
  readonly #waiting = new Map<bigint, Waiting>();
  readonly #queue: (() => void)[] = [];
  #nextId = 0n;
  #credits = 1;
  #received = Buffer.alloc(0);
  #ended: Error | undefined;

  /** `place` names the server in messages. */
  constructor(socket: Socket, place: string) {
    this.#socket = socket;
    this.#place = place;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end(new Error('the server closed the connection')));
  }

  close(): void {
    this.#socket.destroy();
  }

  /** The reply, whatever its status. Throws CONNECTION_ERROR if there is none, and INVALID_RESPONSE if it is not valid. */
  async send(command: number, body: Buffer): Promise<Reply> {
    while (this.#credits === 0 && !this.#ended) {
      if (this.#endWithoutCredits()) break;
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    }
    if (this.#ended) throw this.#createFailure(this.#ended);
    this.#credits -= 1;
    const id = this.#nextId;
    this.#nextId += 1n;
    const reply = new Promise<Reply>((resolve, reject) => {
      const timer = setTimeout(
        () => this.#end(new Error(`there was no answer within ${answerMs / 1_000} s`)),
        answerMs,
      );
      this.#waiting.set(id, { command, resolve, reject, timer });
    });
    this.#socket.write(this.#writeFrame(Buffer.concat([this.#writeHeader(command, id), body])));
    return await reply;
  }

  /** [MS-SMB2] 2.2.1.2. */
  #writeHeader(command: number, id: bigint): Buffer {
    const header = Buffer.alloc(headerBytes);
    messageId.copy(header);
    header.writeUInt16LE(headerBytes, 4);
    // The charge: each request uses one credit.
    header.writeUInt16LE(1, 6);
    header.writeUInt16LE(command, 12);
    header.writeUInt16LE(wantedCredits, 14);
    header.writeBigUInt64LE(id, 24);
    header.writeUInt32LE(this.treeId, 36);
    header.writeBigUInt64LE(this.sessionId, 40);
    return header;
  }

  #writeFrame(message: Buffer): Buffer {
    let sent = message;
    if (this.protection && this.isEncrypted) sent = this.protection.encrypt(message);
    else this.protection?.sign(message);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(sent.length);
    return Buffer.concat([length, sent]);
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    while (this.#received.length >= 4 && !this.#ended) {
      const length = this.#received.readUInt32BE(0);
      if (length > maxMessageBytes) return this.#end(createInvalidError(this.#place));
      if (this.#received.length < 4 + length) return;
      const message = this.#received.subarray(4, 4 + length);
      this.#received = this.#received.subarray(4 + length);
      this.#handle(message);
    }
  }

  #handle(message: Buffer): void {
    const isEnvelope = message.subarray(0, 4).equals(envelopeId);
    const plain = isEnvelope ? this.protection?.decrypt(message) : message;
    const isMessage = plain !== undefined && plain.length >= headerBytes + 2 && plain.subarray(0, 4).equals(messageId);
    if (!isMessage || (this.isEncrypted && !isEnvelope)) return this.#end(createInvalidError(this.#place));
    const id = plain.readBigUInt64LE(24);
    const status = plain.readUInt32LE(8);
    // This client holds no leases or locks that the server could break.
    if (id === unsolicitedId) return;
    const waiting = this.#waiting.get(id);
    const isAnswer = waiting?.command === plain.readUInt16LE(12) && (plain.readUInt32LE(16) & isResponse) !== 0;
    if (!waiting || !isAnswer) return this.#end(createInvalidError(this.#place));
    this.#grant(plain.readUInt16LE(14));
    // Interim answers are not signed.
    if (status === pending) return;
    if (this.protection && !isEnvelope && !this.protection.isSigned(plain))
      return this.#end(createInvalidError(this.#place));
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    waiting.resolve({ status, message: plain, body: plain.subarray(headerBytes) });
    if (this.#queue.length > 0) this.#endWithoutCredits();
  }

  /** Only answers grant credits: without a credit and a request that waits for its answer, no request can ever be sent again. */
  #endWithoutCredits(): boolean {
    if (this.#credits > 0 || this.#waiting.size > 0) return false;
    this.#end(new Error('the server allows no further requests'));
    return true;
  }

  #grant(credits: number): void {
    this.#credits = Math.min(this.#credits + credits, maxCredits);
    for (let free = this.#credits; free > 0; free -= 1) this.#queue.shift()?.();
  }

  #end(error: Error): void {
    if (this.#ended) return;
    this.#ended = error;
    this.#socket.destroy();
    for (const waiting of this.#waiting.values()) {
      clearTimeout(waiting.timer);
      waiting.reject(this.#createFailure(error));
    }
    this.#waiting.clear();
    for (const resume of this.#queue.splice(0)) resume();
  }

  #createFailure(error: Error): AppError {
    if (error instanceof AppError) return error;
    return new AppError('CONNECTION_ERROR', `${this.#place}: the connection failed: ${error.message}.`, {}, error);
  }
}

function createInvalidError(place: string): AppError {
  return new AppError('INVALID_RESPONSE', `${place} sent an answer that is not valid SMB 2.`);
}
