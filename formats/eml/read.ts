import PostalMime from 'postal-mime';
import { AppError } from '../../model/errors';
import type { ReadDocument } from '../format';
import { type MailAddress, mailDocument } from '../mail';

/** A message in MIME. Messages within it are attachments. */
export const read: ReadDocument = async (bytes, options) => {
  const mail = await parse(bytes, options.name, options.limits.maxDepth);
  if (mail.headers.length === 0) {
    throw new AppError('DOCUMENT_CORRUPT', `'${options.name}' is no e-mail: it begins with no header fields.`);
  }
  return mailDocument(
    {
      subject: mail.subject ?? '',
      from: mailboxes(mail.from ? [mail.from] : []),
      to: mailboxes(mail.to ?? []),
      cc: mailboxes(mail.cc ?? []),
      date: mail.date === undefined ? undefined : new Date(mail.date),
      text: mail.text ?? '',
      html: mail.html ?? '',
      attachments: mail.attachments.map(({ filename, mimeType, content }, index) => ({
        name: filename ?? `attachment-${index + 1}`,
        mediaType: mimeType,
        sizeBytes: typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength,
      })),
    },
    options,
  );
};

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
