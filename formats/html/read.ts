import { createDocument } from '../../document/builder';
import { type ReadDocument, getStem } from '../format';
import { decodeText } from '../text/decode';
import { readHtml } from './tree';

/** Reads a web page: headings with their sections, paragraphs, lists, tables, pictures with captions, code. */
export const read: ReadDocument = (bytes, { name, limits, profile }) => {
  const builder = createDocument(getStem(name));
  const text = decodeText(bytes, { name, declared: findDeclaredCharset(bytes) });
  readHtml(text, builder, { name, limits, furniture: profile === 'reference' ? 'lead' : 'menus' });
  return builder.document;
};

/** Returns the encoding declared by a `meta` element or an XML declaration in the first bytes. */
export function findDeclaredCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 4096)).toString('latin1');
  const match =
    /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head) ??
    /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)/i.exec(head);
  return match?.[1];
}
