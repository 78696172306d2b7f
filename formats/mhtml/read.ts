import { createDocument } from '../../document/builder';
import { AppError } from '../../model/errors';
import { type ReadDocument, getStem } from '../format';
import { extractBody } from '../html/body';
import { findDeclaredCharset } from '../html/read';
import { readHtml } from '../html/tree';
import { createImageShare } from '../ooxml/image';
import { decodeText } from '../text/decode';
import { decodePath } from '../zip/part-name';
import { type MimePart, readMimeParts } from './parts';

/** Reads the first page of the archive with its frames in place and its pictures. */
export const read: ReadDocument = (bytes, { name, limits, profile, recordOmission }) => {
  const parts = readMimeParts(bytes, limits);
  const isPage = ({ mediaType }: MimePart) => mediaType === 'text/html' || mediaType === 'application/xhtml+xml';
  const first = parts.find(isPage);
  if (first === undefined)
    throw new AppError(
      'DOCUMENT_CORRUPT',
      `'${name}' is not a web archive: none of its ${parts.length} parts is a page.`,
    );
  const findPart = createPartLookup(parts);
  const readParts = new Set([first]);
  const html = insertFrames(first, findPart, readParts);
  const builder = createDocument(getStem(name));
  const share = createImageShare<MimePart>();
  readHtml(html, builder, {
    name,
    limits,
    furniture: profile === 'reference' ? 'lead' : 'menus',
    image: (address) => {
      const part = findPart(address, first);
      return part && share(part, () => part.bytes);
    },
  });
  for (const part of parts)
    if (isPage(part) && !readParts.has(part)) recordOmission?.('further page', toPlainText(decodePage(part)));
  return builder.document;
};

type FindPart = (address: string, from: MimePart) => MimePart | undefined;

/** Returns a lookup of parts by `cid:`, or by an address that may be relative to the page. */
function createPartLookup(parts: readonly MimePart[]): FindPart {
  const byId = new Map(parts.flatMap((part) => (part.contentId ? [[part.contentId, part] as const] : [])));
  const byLocation = new Map(parts.flatMap((part) => (part.location ? [[part.location, part] as const] : [])));
  return (address, from) => {
    if (/^cid:/i.test(address)) return byId.get(decodePath(address.slice(4)));
    const part = byLocation.get(address);
    if (part !== undefined || from.location === undefined || !URL.canParse(address, from.location)) return part;
    return byLocation.get(new URL(address, from.location).href);
  };
}

function decodePage({ bytes, charset, location = 'a page of the archive' }: MimePart): string {
  return decodeText(bytes, { name: location, declared: charset ?? findDeclaredCharset(bytes) });
}

/** Returns the page with the content of its frames in place, each part once. */
function insertFrames(part: MimePart, findPart: FindPart, readParts: Set<MimePart>): string {
  return decodePage(part)
    .replaceAll(/<\/?(?:frameset|noframes)\b[^>]*>/gi, ' ')
    .replaceAll(/<i?frame\b[^>]*>/gi, (tag) => {
      const address = /\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag);
      const frame = address && findPart((address[1] ?? address[2] ?? address[3]!).replaceAll('&amp;', '&'), part);
      if (!frame || readParts.has(frame) || !/html/.test(frame.mediaType)) return tag;
      readParts.add(frame);
      return `<div>${extractBody(insertFrames(frame, findPart, readParts))}</div>${tag}`;
    });
}

function toPlainText(html: string): string {
  return html.replaceAll(/<(script|style)\b[\s\S]*?<\/\1\s*>|<[^>]*>/gi, ' ');
}
