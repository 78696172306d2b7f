import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { AppError } from '../../model/errors';
import { parseEncryptionKeys } from '../storage/sealing/encryption-keys';

const encoding = 'binary/encrypted';
const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts the payloads that Temporal stores (arguments, results, summaries) with AES-256-GCM. `keys` are 32 bytes in base64: the
 * first encrypts, all decrypt, so that a key can be replaced while workflows run. Payloads written before a key was set are read
 * unencrypted. An encrypted payload contains the start of its key's SHA-256 as `encryption-key-id`, and as data the
 * initialisation vector, the authentication tag and the ciphertext.
 */
export function createPayloadCodec(keys: readonly string[]): PayloadCodec {
  const keysById = parseEncryptionKeys(keys, 'DOCLOOM_PAYLOAD_KEYS');
  const [first] = keysById;
  if (!first) throw new AppError('INVALID_CONFIGURATION', 'DOCLOOM_PAYLOAD_KEYS contains no key.');
  return {
    encode: async (payloads) => payloads.map((payload) => encrypt(payload, first)),
    decode: async (payloads) => payloads.map((payload) => decrypt(payload, keysById)),
  };
}

function encrypt(payload: Payload, [id, key]: readonly [string, Buffer]): Payload {
  const iv = randomBytes(ivBytes);
  const sealing = createCipheriv(cipher, key, iv);
  const sealed = Buffer.concat([sealing.update(serialize(payload)), sealing.final()]);
  return {
    metadata: { encoding: Buffer.from(encoding), 'encryption-key-id': Buffer.from(id) },
    data: Buffer.concat([iv, sealing.getAuthTag(), sealed]),
  };
}

function decrypt(payload: Payload, keysById: ReadonlyMap<string, Buffer>): Payload {
  const { metadata, data } = payload;
  if (decodeText(metadata?.['encoding']) !== encoding) return payload;
  const id = decodeText(metadata?.['encryption-key-id']);
  const key = keysById.get(id);
  if (!key || !data)
    throw new AppError(
      'INVALID_CONFIGURATION',
      `A payload of Temporal was encrypted with the key ${id || 'without name'}; DOCLOOM_PAYLOAD_KEYS has ${[...keysById.keys()].join(', ')}.`,
    );
  const opening = createDecipheriv(cipher, key, data.subarray(0, ivBytes));
  opening.setAuthTag(data.subarray(ivBytes, ivBytes + tagBytes));
  return deserialize(Buffer.concat([opening.update(data.subarray(ivBytes + tagBytes)), opening.final()]));
}

/** The length of the metadata in four bytes, the metadata as JSON with base64 values, then the data. */
function serialize({ metadata, data }: Payload): Buffer {
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]);
  const head = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  const size = Buffer.alloc(4);
  size.writeUInt32BE(head.length);
  // The protobuf decoder represents empty data as an empty array instead of bytes.
  return Buffer.concat([size, head, Buffer.from(data ?? [])]);
}

function deserialize(bytes: Buffer): Payload {
  const end = 4 + bytes.readUInt32BE(0);
  const metadata = JSON.parse(bytes.toString('utf8', 4, end)) as Record<string, string>;
  return {
    metadata: Object.fromEntries(
      Object.entries(metadata).map(([name, value]) => [name, new Uint8Array(Buffer.from(value, 'base64'))]),
    ),
    data: new Uint8Array(bytes.subarray(end)),
  };
}

function decodeText(bytes: Uint8Array | null | undefined): string {
  return bytes ? Buffer.from(bytes).toString('utf8') : '';
}
