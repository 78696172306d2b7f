import { createDocument, type DocumentBuilder } from '../../document/builder';
import type { DoclingDocument } from '../../document/model';
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
  const { cc, attachments, forwarded = [] } = mail;
  for (const { mediaType } of attachments) if (mediaType !== 'message/rfc822') recordOmission?.('attachment');
  for (const inner of forwarded) for (const _ of inner.attachments) recordOmission?.('attachment');
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
    for (const { attachments } of [mail, ...(mail.forwarded ?? [])])
      for (const { mediaType } of attachments) if (mediaType !== 'message/rfc822') recordOmission?.('attachment');
  }
  return builder.document;
}

function addMessage(
  builder: DocumentBuilder,
  mail: Mail,
  { name, limits }: Pick<ReadOptions, 'name' | 'limits'>,
): void {
  const formatLine = (label: string, value: string) => {
    if (value !== '') builder.text('text', `${label}: ${value}`);
  };
  formatLine('From', formatAddressList(mail.from));
  formatLine('To', formatAddressList(mail.to));
  formatLine('Cc', formatAddressList(mail.cc));
  formatLine('Bcc', formatAddressList(mail.bcc ?? []));
  formatLine('Date', toIsoDate(mail.date));
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

/** Decoded header values may contain anything: their line ends must not look like further headers. */
function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function formatAddressList(addresses: readonly MailAddress[]): string {
  return addresses.map(formatAddress).filter(Boolean).join(', ');
}

function formatAddress({ name, address }: MailAddress): string {
  const subjectText = toOneLine(name);
  if (subjectText === '' || subjectText === address) return toOneLine(address);
  const quoted = /[[\]()<>@,:;"\\]/.test(subjectText) ? `"${subjectText.replace(/["\\]/g, '\\$&')}"` : subjectText;
  return address === '' ? subjectText : `${quoted} <${toOneLine(address)}>`;
}

/** Formats a date in UTC to the second: `2026-05-20T10:30:00+00:00`. */
function toIsoDate(date: Date | undefined): string {
  if (date === undefined || Number.isNaN(date.getTime())) return '';
  return date.toISOString().replace(/\.\d+Z$/, '+00:00');
}
