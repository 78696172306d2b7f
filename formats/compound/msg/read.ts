import MsgReader, { type FieldsData } from '@kenjiuno/msgreader';
import { decode, encodingExists } from 'iconv-lite';
import { AppError } from '../../../model/errors';
import type { ReadDocument } from '../../format';
import { type Mail, type MailAddress, createMailDocument } from '../../mail/mail';

/** Maximum depth of messages attached to messages. */
export const maxForwarded = 10;

/** Reads an Outlook message (MS-OXMSG). Attached messages come after it. */
export const read: ReadDocument = (bytes, options) =>
  createMailDocument(toMail(createReader(bytes, options.name).mail, 0), options);

function toMail(mail: FieldsData, depth: number): Mail {
  const attachments = mail.attachments ?? [];
  const inner = depth < maxForwarded ? attachments.flatMap((attachment) => attachment.innerMsgContentFields ?? []) : [];
  return {
    subject: readText(mail.subject),
    from: [toAddress(mail.senderName, mail.senderSmtpAddress, mail.senderEmail)],
    to: listRecipients(mail, 'to'),
    cc: listRecipients(mail, 'cc'),
    bcc: listRecipients(mail, 'bcc'),
    date: parseDate(readText(mail.clientSubmitTime) || readText(mail.messageDeliveryTime)),
    text: readText(mail.body),
    html: readHtmlBody(mail),
    attachments: attachments.map((attachment, index) => ({
      name: readFileName(attachment) || `attachment-${index + 1}`,
      mediaType: readText(attachment.attachMimeTag) || 'application/octet-stream',
      sizeBytes: attachment.contentLength ?? 0,
    })),
    forwarded: inner.map((data) => toMail(data, depth + 1)),
  };
}

/** Returns an empty text for other types, which damaged files may have despite the types of the library. */
function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function readFileName({ fileName, fileNameShort, name }: FieldsData): string {
  return readText(fileName) || readText(fileNameShort) || readText(name);
}

/** Prefers the Internet address over the address in the sender's own mail system. */
function toAddress(name: unknown, smtpAddress: unknown, address: unknown): MailAddress {
  return { name: readText(name), address: readText(smtpAddress) || readText(address) };
}

/** Opens a message, with its texts in the code page that it names. Throws DOCUMENT_CORRUPT. */
export function createReader(bytes: Uint8Array, name: string): { reader: MsgReader; mail: FieldsData } {
  const createCorruptError = (reason: string, cause?: unknown) =>
    new AppError('DOCUMENT_CORRUPT', `'${name}' cannot be read as an Outlook message: ${reason}`, {}, cause);
  try {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const mail = new MsgReader(view).getFileData();
    if (mail.error !== undefined) throw createCorruptError(mail.error);
    // The code page of the texts is known only after the first read, and a reader caches its result.
    const reader = new MsgReader(view);
    reader.parserConfig = { ansiEncoding: findTextEncoding(mail) };
    return { reader, mail: reader.getFileData() };
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The library's error does not help users.
    throw createCorruptError('its structure is damaged.', error);
  }
}

/** Recipients of unknown kind count as "to". */
function listRecipients(mail: FieldsData, kind: 'to' | 'cc' | 'bcc'): MailAddress[] {
  return (mail.recipients ?? [])
    .filter(({ recipType }) => (recipType ?? 'to') === kind)
    .map(({ name, smtpAddress, email }) => toAddress(name, smtpAddress, email));
}

function readHtmlBody(mail: FieldsData): string {
  if (!(mail.html instanceof Uint8Array)) return readText(mail.bodyHtml);
  const encoding = nameCodePage(mail.internetCodepage);
  return decode(mail.html, encodingExists(encoding) ? encoding : 'utf8');
}

/** Windows code pages in which non-Unicode texts are stored, by code page of the mail. */
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
/** Windows code pages by primary language of a locale (MS-LCID 2.2). */
const pagesByLanguage: Readonly<Record<number, number>> = {
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
/** The last code page of ISO 8859. The first is `latinPage`, ISO 8859-1. */
const lastIsoPage = 28_605;
/** The Windows code page of Western European languages. */
const defaultPage = 1252;

/** Returns the encoding of texts that are not stored in Unicode. */
function findTextEncoding({ messageCodepage, internetCodepage, messageLocaleId }: FieldsData): string {
  const codepage = [messageCodepage, internetCodepage].find(
    (page) => page !== undefined && page !== asciiPage && page !== utf8Page && page !== latinPage,
  );
  const locale = typeof messageLocaleId === 'number' ? findLocalePage(messageLocaleId) : undefined;
  const windowsPage = codepage === undefined ? locale : (windowsPages[codepage] ?? codepage);
  const encoding = `cp${windowsPage ?? defaultPage}`;
  return encodingExists(encoding) ? encoding : `cp${defaultPage}`;
}

/** Chinese has two code pages: one for Taiwan, Hong Kong and Macau, one for the mainland and Singapore. */
function findLocalePage(locale: number): number | undefined {
  if ((locale & 0x3ff) === 0x04) return [0x0404, 0x0c04, 0x1404].includes(locale) ? 950 : 936;
  return pagesByLanguage[locale & 0x3ff];
}

/** Returns the encoding of a code page: UTF-8 for 65001 and ASCII, an ISO 8859 encoding, or one named by number. */
function nameCodePage(number: number | undefined): string {
  if (number === undefined || number === utf8Page || number === asciiPage) return 'utf8';
  if (number >= latinPage && number <= lastIsoPage) return `iso-8859-${number - latinPage + 1}`;
  return `cp${number}`;
}

function parseDate(text: string): Date | undefined {
  return text === '' ? undefined : new Date(text);
}
