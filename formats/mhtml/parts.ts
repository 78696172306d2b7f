import { AppError } from '../../model/errors';
import type { ReadLimits } from '../format';

/** A part of a MIME message without inner parts. */
export interface MimePart {
  /** The media type in lower case, without parameters. */
  mediaType: string;
  charset: string | undefined;
  location: string | undefined;
  /** The content id without angle brackets. */
  contentId: string | undefined;
  bytes: Buffer;
}

/** Each level is searched again for its boundary, so that the depth limits the time. */
const maxNesting = 20;

/** Longer blanks after a boundary, and longer names of header fields, are not recognized. */
const maxBoundaryEnd = 80;
const maxFieldName = 200;

type Fields = ReadonlyMap<string, string>;

/** Splits a message into its parts in order (RFC 2046). An unclosed part ends with the message. */
export function readMimeParts(bytes: Uint8Array, limits: Pick<ReadLimits, 'maxEntries'>): MimePart[] {
  // Latin-1 keeps every byte as one character.
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const parts: MimePart[] = [];
  addParts(parts, message, 0, limits);
  return parts;
}

function addParts(parts: MimePart[], message: string, depth: number, limits: Pick<ReadLimits, 'maxEntries'>): void {
  if (depth > maxNesting)
    throw new AppError('DOCUMENT_TOO_LARGE', `The message nests parts more than ${maxNesting} levels deep.`);
  const { fields, body } = splitHead(message);
  const type = fields.get('content-type') ?? 'text/plain';
  const boundary = /^multipart\//i.test(type) ? findParameter(type, 'boundary') : undefined;
  if (boundary === undefined) {
    parts.push({
      mediaType: type.split(';')[0]!.trim().toLowerCase(),
      charset: findParameter(type, 'charset'),
      location: fields.get('content-location')?.replaceAll(/\s+/g, ''),
      contentId: fields.get('content-id')?.replace(/^\s*<|>\s*$/g, ''),
      bytes: decodeBody(body, fields.get('content-transfer-encoding')),
    });
    if (parts.length > limits.maxEntries)
      throw new AppError('DOCUMENT_TOO_LARGE', `The message has more than ${limits.maxEntries} parts.`);
    return;
  }
  for (const part of splitParts(body, boundary)) addParts(parts, part, depth + 1, limits);
}

/** Returns the texts between lines of `--boundary` up to `--boundary--`. */
function splitParts(body: string, boundary: string): string[] {
  const parts: string[] = [];
  const mark = `--${boundary}`;
  let start: number | undefined;
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + mark.length)) {
    if (at > 0 && body[at - 1] !== '\n') continue;
    // A boundary may be a prefix of another one.
    if (!/^(?:--)?[ \t]*(?:\r?\n|$)/.test(body.slice(at + mark.length, at + mark.length + maxBoundaryEnd))) continue;
    if (start !== undefined) parts.push(body.slice(start, at).replace(/\r?\n$/, ''));
    const after = at + mark.length;
    if (body.startsWith('--', after)) return parts;
    const end = body.indexOf('\n', after);
    if (end < 0) return parts;
    start = end + 1;
  }
  if (start !== undefined) parts.push(body.slice(start));
  return parts;
}

/** Separates the header fields of a message or part from its body. */
function splitHead(message: string): { fields: Fields; body: string } {
  const lead = /^(?:\r?\n)+/.exec(message)?.[0].length ?? 0;
  const content = message.slice(lead);
  // A part without header fields may begin with the empty line that ends them.
  if (lead > 0 && !/^[!-9;-~]+:/.test(content.slice(0, maxFieldName))) return { fields: new Map(), body: content };
  const end = /\r?\n\r?\n/.exec(content);
  if (!end) return { fields: parseFields(content), body: '' };
  return { fields: parseFields(content.slice(0, end.index)), body: content.slice(end.index + end[0].length) };
}

/** Parses header fields by their names in lower case. The first of several with the same name counts. */
function parseFields(head: string): Fields {
  const fields = new Map<string, string>();
  for (const line of head.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (name !== '' && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
  }
  return fields;
}

function findParameter(field: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^;\\s]+))`, 'i').exec(field);
  return match?.[1] ?? match?.[2];
}

function decodeBody(body: string, encoding: string | undefined): Buffer {
  switch (encoding?.trim().toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64');
    case 'quoted-printable':
      return Buffer.from(
        body
          // A line that ends with `=` continues; blanks before it are kept.
          .replaceAll(/=\r?\n/g, '')
          .replaceAll(/=([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
        'latin1',
      );
    default:
      return Buffer.from(body, 'latin1');
  }
}
