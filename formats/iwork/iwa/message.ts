/** A value of a message: a number for varints and fixed-size numbers, bytes for strings and nested messages. */
export type FieldValue = number | Uint8Array;

/**
 * The fields of a protocol buffer message by number, parsed without a schema. Parsing stops at damaged data. A class, because a
 * document has hundreds of thousands of messages, which share the methods.
 */
export class Message {
  readonly #fields: Map<number, FieldValue[]>;

  constructor(bytes: Uint8Array) {
    this.#fields = readFields(bytes).fields;
  }

  /** Returns the first number of a field. */
  number(field: number): number | undefined {
    return this.#fields.get(field)?.find((value): value is number => typeof value === 'number');
  }

  /** Returns a fixed-size field of four bytes as an unsigned integer. Parsing reads such fields as floating point numbers. */
  fixed32(field: number): number | undefined {
    const value = this.number(field);
    if (value === undefined) return undefined;
    const view = new DataView(new ArrayBuffer(4));
    view.setFloat32(0, value);
    return view.getUint32(0);
  }

  bytes(field: number): Uint8Array | undefined {
    return this.allBytes(field)[0];
  }

  allBytes(field: number): Uint8Array[] {
    return (this.#fields.get(field) ?? []).filter((value): value is Uint8Array => typeof value !== 'number');
  }

  allNumbers(field: number): number[] {
    return (this.#fields.get(field) ?? []).flatMap((value) =>
      typeof value === 'number' ? value : listPackedNumbers(value),
    );
  }

  text(field: number): string | undefined {
    const bytes = this.bytes(field);
    return bytes && decoder.decode(bytes);
  }

  message(field: number): Message | undefined {
    const bytes = this.bytes(field);
    return bytes && new Message(bytes);
  }

  messages(field: number): Message[] {
    return this.allBytes(field).map((bytes) => new Message(bytes));
  }

  /** Returns the identifier of a reference, which is a message with a number in field 1. */
  reference(field: number): number | undefined {
    return this.message(field)?.number(1);
  }

  references(field: number): number[] {
    return this.messages(field).flatMap((reference) => reference.number(1) ?? []);
  }

  /** Yields every nested piece, ordered by field number. */
  *pieces(): Generator<Uint8Array> {
    for (const values of this.#fields.values()) {
      for (const value of values) if (typeof value !== 'number') yield value;
    }
  }
}

const decoder = new TextDecoder();

/** Reads a varint and its end; undefined if it is incomplete. Numbers above 2^53 lose their lowest digits. */
export function readVarint(bytes: Uint8Array, from: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let at = from, factor = 1; at < bytes.length && at < from + 10; at++, factor *= 128) {
    const byte = bytes[at]!;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value, end: at + 1 };
  }
  return undefined;
}

/** True if all bytes form one valid message. */
export function isMessage(bytes: Uint8Array): boolean {
  return readFields(bytes).isWhole;
}

function readFields(bytes: Uint8Array): { fields: Map<number, FieldValue[]>; isWhole: boolean } {
  const fields = new Map<number, FieldValue[]>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  while (at < bytes.length) {
    const key = readVarint(bytes, at);
    if (!key) return { fields, isWhole: false };
    const field = Math.floor(key.value / 8);
    const read = findValue(bytes, view, key.end, key.value % 8);
    if (!read || field === 0) return { fields, isWhole: false };
    const values = fields.get(field);
    if (values) values.push(read.value);
    else fields.set(field, [read.value]);
    at = read.end;
  }
  return { fields, isWhole: true };
}

function findValue(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  wireType: number,
): { value: FieldValue; end: number } | undefined {
  if (wireType === 0) return readVarint(bytes, at);
  if (wireType === 1) return at + 8 <= bytes.length ? { value: view.getFloat64(at, true), end: at + 8 } : undefined;
  if (wireType === 5) return at + 4 <= bytes.length ? { value: view.getFloat32(at, true), end: at + 4 } : undefined;
  const length = wireType === 2 ? readVarint(bytes, at) : undefined;
  if (!length || length.end + length.value > bytes.length) return undefined;
  return { value: bytes.subarray(length.end, length.end + length.value), end: length.end + length.value };
}

function listPackedNumbers(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  for (let read = readVarint(bytes, 0); read; read = readVarint(bytes, read.end)) numbers.push(read.value);
  return numbers;
}
