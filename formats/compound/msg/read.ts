import MsgReader, { type FieldsData } from '@kenjiuno/msgreader';
import { decode, encodingExists } from 'iconv-lite';
import { AppError } from '../../../model/errors';
import type { ReadDocument } from '../../format';
import { type MailAddress, mailDocument } from '../../mail/mail';

/** An Outlook message (MS-OXMSG). */
export const read: ReadDocument = (bytes, options) => {
  const mail = parse(bytes, options.name);
  return mailDocument(
    {
      subject: textOf(mail.subject),
      from: [addressOf(mail.senderName, mail.senderSmtpAddress, mail.senderEmail)],
      to: recipients(mail, 'to'),
      cc: recipients(mail, 'cc'),
      date: dateOf(textOf(mail.clientSubmitTime) || textOf(mail.messageDeliveryTime)),
      text: textOf(mail.body),
      html: htmlOf(mail),
      attachments: (mail.attachments ?? []).map((attachment, index) => ({
        name: nameOf(attachment) || `attachment-${index + 1}`,
        mediaType: textOf(attachment.attachMimeTag) || 'application/octet-stream',
        sizeBytes: attachment.contentLength ?? 0,
      })),
    },
    options,
  );
};

/** In a damaged file a property may have any type, whatever the library's types say. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function nameOf({ fileName, fileNameShort, name }: FieldsData): string {
  return textOf(fileName) || textOf(fileNameShort) || textOf(name);
}

/** The address of the Internet where there is one, else that of the sender's own mail system. */
function addressOf(name: unknown, smtpAddress: unknown, address: unknown): MailAddress {
  return { name: textOf(name), address: textOf(smtpAddress) || textOf(address) };
}

function parse(bytes: Uint8Array, name: string): FieldsData {
  const corrupt = (reason: string, cause?: unknown) =>
    new AppError('DOCUMENT_CORRUPT', `'${name}' cannot be read as an Outlook message: ${reason}`, {}, cause);
  try {
    const mail = new MsgReader(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)).getFileData();
    if (mail.error !== undefined) throw corrupt(mail.error);
    return mail;
  } catch (error) {
    if (error instanceof AppError) throw error;
    // What the library trips over says nothing to people.
    throw corrupt('its parts do not fit together.', error);
  }
}

/** A recipient whose kind is not known stands with those that the message is to. */
function recipients(mail: FieldsData, kind: 'to' | 'cc'): MailAddress[] {
  return (mail.recipients ?? [])
    .filter(({ recipType }) => (recipType ?? 'to') === kind)
    .map(({ name, smtpAddress, email }) => addressOf(name, smtpAddress, email));
}

function htmlOf(mail: FieldsData): string {
  if (!(mail.html instanceof Uint8Array)) return textOf(mail.bodyHtml);
  const encoding = codePage(mail.internetCodepage);
  return decode(mail.html, encodingExists(encoding) ? encoding : 'utf8');
}

/** 65001 and 20127 have names of their own, others are known by their number. */
function codePage(number: number | undefined): string {
  if (number === undefined || number === 65_001 || number === 20_127) return 'utf8';
  if (number >= 28_591 && number <= 28_605) return `iso-8859-${number - 28_590}`;
  return `cp${number}`;
}

function dateOf(text: string): Date | undefined {
  return text === '' ? undefined : new Date(text);
}
