import MsgReader, { type FieldsData } from '@kenjiuno/msgreader';
import { decode, encodingExists } from 'iconv-lite';
import { AppError } from '../../../model/errors';
import type { ReadDocument } from '../../format';
import { type Mail, type MailAddress, mailDocument } from '../../mail/mail';

/** Messages in messages are read to this depth. */
const maxForwarded = 10;

/** An Outlook message (MS-OXMSG); messages that are attached to it are read behind it. */
export const read: ReadDocument = (bytes, options) => mailDocument(mailOf(parse(bytes, options.name), 0), options);

function mailOf(mail: FieldsData, depth: number): Mail {
  const attachments = mail.attachments ?? [];
  const inner = depth < maxForwarded ? attachments.flatMap((attachment) => attachment.innerMsgContentFields ?? []) : [];
  return {
    subject: textOf(mail.subject),
    from: [addressOf(mail.senderName, mail.senderSmtpAddress, mail.senderEmail)],
    to: recipients(mail, 'to'),
    cc: recipients(mail, 'cc'),
    date: dateOf(textOf(mail.clientSubmitTime) || textOf(mail.messageDeliveryTime)),
    text: textOf(mail.body),
    html: htmlOf(mail),
    attachments: attachments.map((attachment, index) => ({
      name: nameOf(attachment) || `attachment-${index + 1}`,
      mediaType: textOf(attachment.attachMimeTag) || 'application/octet-stream',
      sizeBytes: attachment.contentLength ?? 0,
    })),
    forwarded: inner.map((one) => mailOf(one, depth + 1)),
  };
}

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
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const mail = new MsgReader(view).getFileData();
    if (mail.error !== undefined) throw corrupt(mail.error);
    // Which code page its texts are in is known after the first reading only; a reader keeps what it read.
    const reader = new MsgReader(view);
    reader.parserConfig = { ansiEncoding: encodingOfTexts(mail) };
    return reader.getFileData();
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

/** Code pages of Windows for those of mail, of which texts without Unicode are stored. */
const windowsPages: Readonly<Record<number, number>> = {
  20_866: 1251,
  21_866: 1251,
  28_592: 1250,
  28_595: 1251,
  28_596: 1256,
  28_597: 1253,
  28_598: 1255,
  28_599: 1254,
  38_598: 1255,
  50_220: 932,
  50_221: 932,
  50_222: 932,
  51_932: 932,
  50_225: 949,
  51_949: 949,
  51_936: 936,
  52_936: 936,
  54_936: 936,
};
/** Code pages of Windows by the primary language of a locale (MS-LCID 2.2). */
const pagesOfLanguages: Readonly<Record<number, number>> = {
  0x01: 1256,
  0x05: 1250,
  0x08: 1253,
  0x0d: 1255,
  0x0e: 1250,
  0x11: 932,
  0x12: 949,
  0x15: 1250,
  0x18: 1250,
  0x19: 1251,
  0x1b: 1250,
  0x1e: 874,
  0x1f: 1254,
  0x22: 1251,
  0x23: 1251,
  0x24: 1250,
};
const [utf8Page, asciiPage, latinPage] = [65_001, 20_127, 28_591];

/** How texts that are not stored in Unicode are encoded. */
function encodingOfTexts({ messageCodepage, internetCodepage, messageLocaleId }: FieldsData): string {
  const known = [messageCodepage, internetCodepage].find(
    (page) => page !== undefined && page !== asciiPage && page !== utf8Page && page !== latinPage,
  );
  const locale = typeof messageLocaleId === 'number' ? pageOfLocale(messageLocaleId) : undefined;
  const encoding = `cp${known === undefined ? (locale ?? 1252) : (windowsPages[known] ?? known)}`;
  return encodingExists(encoding) ? encoding : 'cp1252';
}

/** Chinese has two: that of Taiwan, Hong Kong and Macau, and that of the mainland and Singapore. */
function pageOfLocale(locale: number): number | undefined {
  if ((locale & 0x3ff) === 0x04) return [0x0404, 0x0c04, 0x1404].includes(locale) ? 950 : 936;
  return pagesOfLanguages[locale & 0x3ff];
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
