import MsgReader, { type FieldsData } from '@kenjiuno/msgreader';
import { decode, encodingExists } from 'iconv-lite';
import { AppError } from '../../../model/errors';
import type { ReadDocument } from '../../format';
import { type Mail, type MailAddress, createMailDocument } from '../../mail/mail';

/** Maximum depth of messages attached to messages. */
const maxForwarded = 10;

/** Reads an Outlook message (MS-OXMSG). Attached messages come after it. */
export const read: ReadDocument = (bytes, options) =>
  createMailDocument(buildMail(createReader(bytes, options.name).mail, 0), options);

function buildMail(mail: FieldsData, depth: number): Mail {
  const attachments = mail.attachments ?? [];
  const inner = depth < maxForwarded ? attachments.flatMap((attachment) => attachment.innerMsgContentFields ?? []) : [];
  return {
    subject: getText(mail.subject),
    from: [buildAddress(mail.senderName, mail.senderSmtpAddress, mail.senderEmail)],
    to: listRecipients(mail, 'to'),
    cc: listRecipients(mail, 'cc'),
    bcc: listRecipients(mail, 'bcc'),
    date: findDate(getText(mail.clientSubmitTime) || getText(mail.messageDeliveryTime)),
    text: getText(mail.body),
    html: getHtml(mail),
    attachments: attachments.map((attachment, index) => ({
      name: getName(attachment) || `attachment-${index + 1}`,
      mediaType: getText(attachment.attachMimeTag) || 'application/octet-stream',
      sizeBytes: attachment.contentLength ?? 0,
    })),
    forwarded: inner.map((data) => buildMail(data, depth + 1)),
  };
}

/** Properties of a damaged file may have any type, despite the types of the library. */
function getText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function getName({ fileName, fileNameShort, name }: FieldsData): string {
  return getText(fileName) || getText(fileNameShort) || getText(name);
}

/** Prefers the Internet address over the address in the sender's own mail system. */
function buildAddress(name: unknown, smtpAddress: unknown, address: unknown): MailAddress {
  return { name: getText(name), address: getText(smtpAddress) || getText(address) };
}

/** Opens a message, with its texts in the code page that it names. Throws DOCUMENT_CORRUPT. */
export function createReader(bytes: Uint8Array, name: string): { reader: MsgReader; mail: FieldsData } {
  const corrupt = (reason: string, cause?: unknown) =>
    new AppError('DOCUMENT_CORRUPT', `'${name}' cannot be read as an Outlook message: ${reason}`, {}, cause);
  try {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const mail = new MsgReader(view).getFileData();
    if (mail.error !== undefined) throw corrupt(mail.error);
    // The code page of the texts is known only after the first read, and a reader caches its result.
    const reader = new MsgReader(view);
    reader.parserConfig = { ansiEncoding: getEncodingOfTexts(mail) };
    return { reader, mail: reader.getFileData() };
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The library's error does not help users.
    throw corrupt('its parts do not fit together.', error);
  }
}

/** Recipients of unknown kind count as "to". */
function listRecipients(mail: FieldsData, kind: 'to' | 'cc' | 'bcc'): MailAddress[] {
  return (mail.recipients ?? [])
    .filter(({ recipType }) => (recipType ?? 'to') === kind)
    .map(({ name, smtpAddress, email }) => buildAddress(name, smtpAddress, email));
}

function getHtml(mail: FieldsData): string {
  if (!(mail.html instanceof Uint8Array)) return getText(mail.bodyHtml);
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

/** Returns the encoding of texts that are not stored in Unicode. */
function getEncodingOfTexts({ messageCodepage, internetCodepage, messageLocaleId }: FieldsData): string {
  const codepage = [messageCodepage, internetCodepage].find(
    (page) => page !== undefined && page !== asciiPage && page !== utf8Page && page !== latinPage,
  );
  const locale = typeof messageLocaleId === 'number' ? findLocalePage(messageLocaleId) : undefined;
  const encoding = `cp${codepage === undefined ? (locale ?? 1252) : (windowsPages[codepage] ?? codepage)}`;
  return encodingExists(encoding) ? encoding : 'cp1252';
}

/** Chinese has two code pages: one for Taiwan, Hong Kong and Macau, one for the mainland and Singapore. */
function findLocalePage(locale: number): number | undefined {
  if ((locale & 0x3ff) === 0x04) return [0x0404, 0x0c04, 0x1404].includes(locale) ? 950 : 936;
  return pagesOfLanguages[locale & 0x3ff];
}

/** 65001 and 20127 have special names; all others are named by number. */
function nameCodePage(number: number | undefined): string {
  if (number === undefined || number === 65_001 || number === 20_127) return 'utf8';
  if (number >= 28_591 && number <= 28_605) return `iso-8859-${number - 28_590}`;
  return `cp${number}`;
}

function findDate(text: string): Date | undefined {
  return text === '' ? undefined : new Date(text);
}
