import { createDocument, type DocumentBuilder } from '../../document/builder';
import type { DoclingDocument } from '../../document/model';
import type { RecordOmission } from '../coverage';
import { type ReadOptions, getStem } from '../format';
import { readHtml } from '../html/tree';

export interface MailAddress {
  name: string;
  address: string;
}

/** A message from any file format. */
export interface Mail {
  subject: string;
  from: MailAddress[];
  to: MailAddress[];
  cc: MailAddress[];
  /** Blind copies: only the copy of the sender has them. */
  bcc?: MailAddress[];
  date: Date | undefined;
  /** The body as plain text; if present, the HTML is ignored. */
  text: string;
  html: string;
  attachments: { name: string; mediaType: string; sizeBytes: number }[];
  /** Messages forwarded as attachments; read after the body. */
  forwarded?: Mail[];
}

/**
 * Writes the subject as title; sender, recipients, copies and date as texts; then the body. Copies and attachments are listed
 * in the `meta` of the body as `docloom__mail`. Attachments are not read.
 */
export function createMailDocument(mail: Mail, { name, limits, recordOmission }: ReadOptions): DoclingDocument {
  const builder = createDocument(getStem(name));
  const subject = toOneLine(mail.subject);
  if (subject !== '') builder.text('title', subject);
  addMessage(builder, mail, { name, limits });
  const { cc, attachments } = mail;
  reportAttachments(mail, recordOmission);
  if (cc.length > 0 || attachments.length > 0) {
    builder.document.body.meta = { docloom__mail: { cc: formatAddressList(cc), attachments } };
  }
  return builder.document;
}

/** Writes the messages of a mailbox one after the other, each with its subject as heading. */
export function createMailboxDocument(
  mails: readonly Mail[],
  { name, limits, recordOmission }: ReadOptions,
): DoclingDocument {
  const builder = createDocument(getStem(name));
  for (const mail of mails) {
    builder.heading(1, toOneLine(mail.subject) || '(no subject)');
    addMessage(builder, mail, { name, limits });
    reportAttachments(mail, recordOmission);
  }
  return builder.document;
}

/** Reports the attachments of a message and of those forwarded in it, except the forwarded messages, which are read. */
function reportAttachments({ attachments, forwarded = [] }: Mail, recordOmission: RecordOmission | undefined): void {
  for (let count = forwarded.length; count < attachments.length; count += 1) recordOmission?.('attachment');
  for (const mail of forwarded) reportAttachments(mail, recordOmission);
}

function addMessage(
  builder: DocumentBuilder,
  mail: Mail,
  { name, limits }: Pick<ReadOptions, 'name' | 'limits'>,
): void {
  const addLine = (label: string, value: string) => {
    if (value !== '') builder.text('text', `${label}: ${value}`);
  };
  addLine('From', formatAddressList(mail.from));
  addLine('To', formatAddressList(mail.to));
  addLine('Cc', formatAddressList(mail.cc));
  addLine('Bcc', formatAddressList(mail.bcc ?? []));
  addLine('Date', toIsoDate(mail.date));
  if (mail.text.trim() !== '') {
    for (const paragraph of listParagraphs(mail.text)) builder.text('text', paragraph);
  } else if (mail.html.trim() !== '') {
    // The title of the HTML page comes from the mail program, not from the message.
    const html = mail.html.replace(/<title\b[^>]*>[^<]*<\/title\s*>/i, '');
    readHtml(html, builder, { name, limits, furniture: 'none' });
  }
  for (const forwarded of mail.forwarded ?? []) {
    const subject = toOneLine(forwarded.subject);
    if (subject !== '') builder.heading(1, subject);
    addMessage(builder, forwarded, { name, limits });
  }
}

function listParagraphs(text: string): string[] {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '');
}

/** Removes line ends: decoded header values may contain anything, and must not look like further header fields. */
function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function formatAddressList(addresses: readonly MailAddress[]): string {
  return addresses.map(formatAddress).filter(Boolean).join(', ');
}

function formatAddress({ name, address }: MailAddress): string {
  const displayName = toOneLine(name);
  if (displayName === '' || displayName === address) return toOneLine(address);
  const quoted = /[[\]()<>@,:;"\\]/.test(displayName) ? `"${displayName.replace(/["\\]/g, '\\$&')}"` : displayName;
  return address === '' ? displayName : `${quoted} <${toOneLine(address)}>`;
}

/** Formats a date in UTC to the second: `2026-05-20T10:30:00+00:00`. */
function toIsoDate(date: Date | undefined): string {
  if (date === undefined || Number.isNaN(date.getTime())) return '';
  return date.toISOString().replace(/\.\d+Z$/, '+00:00');
}
