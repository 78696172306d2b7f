import { decode } from 'iconv-lite';
import PostalMime from 'postal-mime';
import { AppError } from '../../../model/errors';
import type { ReadDocument, ReadOptions } from '../../format';
import { type Mail, type MailAddress, createMailDocument } from '../mail';

/** Maximum depth of messages in messages. */
export const maxForwarded = 10;

/** Reads a MIME message. Messages attached to it are read after it and are also listed as attachments. */
export const read: ReadDocument = async (bytes, options) => {
  return createMailDocument(await readMail(bytes, options), options);
};

/** Parses a message. `allowBare` accepts one without header fields, as mailboxes may have. */
export async function readMail(
  bytes: Uint8Array,
  options: ReadOptions,
  { depth = 0, allowBare = false }: { depth?: number; allowBare?: boolean } = {},
): Promise<Mail> {
  const mail = await parseMail(bytes, options.name, options.limits.maxDepth);
  if (mail.headers.length === 0 && !allowBare) {
    throw new AppError('DOCUMENT_CORRUPT', `'${options.name}' is not an e-mail: it does not begin with header fields.`);
  }
  const forwarded: Mail[] = [];
  for (const { mimeType, content } of depth < maxForwarded ? mail.attachments : []) {
    if (mimeType !== 'message/rfc822') continue;
    const inner = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
    // An attachment that claims to be a message but has no header fields stays an attachment.
    if (/^[!-9;-~]+:/.test(Buffer.from(inner.subarray(0, 100)).toString('latin1').trimStart())) {
      forwarded.push(await readMail(inner, options, { depth: depth + 1 }));
    }
  }
  return {
    subject: decodeWestern(mail.subject ?? ''),
    from: listMailboxes(mail.from ? [mail.from] : []),
    to: listMailboxes(mail.to ?? []),
    cc: listMailboxes(mail.cc ?? []),
    bcc: listMailboxes(mail.bcc ?? []),
    date: mail.date === undefined ? undefined : new Date(mail.date),
    text: decodeWestern(mail.text ?? ''),
    html: decodeWestern(mail.html ?? ''),
    attachments: mail.attachments.map(({ filename, mimeType, content }, index) => ({
      name: filename ?? `attachment-${index + 1}`,
      mediaType: mimeType,
      sizeBytes: typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength,
    })),
    forwarded,
  };
}

/** Decodes C1 control characters as windows-1252, which Node decodes as Latin-1: the euro sign, dashes, quotes. */
function decodeWestern(text: string): string {
  return text.replace(/[\u0080-\u009f]/g, (sign) => decode(Buffer.from([sign.charCodeAt(0)]), 'windows-1252'));
}

/** Parses the parts of a message. Messages attached to it are listed as attachments. Throws DOCUMENT_CORRUPT. */
export async function parseMail(bytes: Uint8Array, name: string, maxDepth: number): Promise<PostalMime.Email> {
  try {
    return await PostalMime.parse(bytes, { forceRfc822Attachments: true, maxNestingDepth: Math.min(maxDepth, 100) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' cannot be read as an e-mail: ${reason}`, {}, error);
  }
}

/** Replaces groups with their members. */
function listMailboxes(addresses: readonly PostalMime.Address[]): MailAddress[] {
  return addresses.flatMap((address) => address.group ?? [{ name: address.name, address: address.address ?? '' }]);
}
