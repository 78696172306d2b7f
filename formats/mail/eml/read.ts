import { decode } from 'iconv-lite';
import PostalMime from 'postal-mime';
import { AppError } from '../../../model/errors';
import type { ReadDocument, ReadOptions } from '../../format';
import { type Mail, type MailAddress, mailDocument } from '../mail';

/** Messages in messages are read to this depth. */
const maxForwarded = 10;

/** A message in MIME. Messages that it forwards as attachments are read behind it, and listed too. */
export const read: ReadDocument = async (bytes, options) => {
  return mailDocument(await mailOf(bytes, options, 0), options);
};

async function mailOf(bytes: Uint8Array, options: ReadOptions, depth: number): Promise<Mail> {
  const mail = await parse(bytes, options.name, options.limits.maxDepth);
  if (mail.headers.length === 0) {
    throw new AppError('DOCUMENT_CORRUPT', `'${options.name}' is no e-mail: it begins with no header fields.`);
  }
  const forwarded: Mail[] = [];
  for (const { mimeType, content } of depth < maxForwarded ? mail.attachments : []) {
    if (mimeType !== 'message/rfc822') continue;
    const inner = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
    // What calls itself a message and begins with no fields stays an attachment.
    if (/^[!-9;-~]+:/.test(Buffer.from(inner.subarray(0, 100)).toString('latin1').trimStart())) {
      forwarded.push(await mailOf(inner, options, depth + 1));
    }
  }
  return {
    subject: western(mail.subject ?? ''),
    from: mailboxes(mail.from ? [mail.from] : []),
    to: mailboxes(mail.to ?? []),
    cc: mailboxes(mail.cc ?? []),
    date: mail.date === undefined ? undefined : new Date(mail.date),
    text: western(mail.text ?? ''),
    html: western(mail.html ?? ''),
    attachments: mail.attachments.map(({ filename, mimeType, content }, index) => ({
      name: filename ?? `attachment-${index + 1}`,
      mediaType: mimeType,
      sizeBytes: typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength,
    })),
    forwarded,
  };
}

/** Node decodes windows-1252 as Latin-1, whose control characters are signs there: the euro, dashes, quotes. */
function western(text: string): string {
  return text.replace(/[\u0080-\u009f]/g, (sign) => decode(Buffer.from([sign.charCodeAt(0)]), 'windows-1252'));
}

async function parse(bytes: Uint8Array, name: string, maxDepth: number): Promise<PostalMime.Email> {
  try {
    return await PostalMime.parse(bytes, { forceRfc822Attachments: true, maxNestingDepth: Math.min(maxDepth, 100) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' cannot be read as an e-mail: ${reason}`, {}, error);
  }
}

/** Groups are given by their members. */
function mailboxes(addresses: readonly PostalMime.Address[]): MailAddress[] {
  return addresses.flatMap((one) => one.group ?? [{ name: one.name, address: one.address ?? '' }]);
}
