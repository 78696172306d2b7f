import { createDocument } from '../../document/builder';
import { AppError } from '../../model/errors';
import { type ReadDocument, getStem } from '../format';
import { extractBody } from '../html/body';
import { readHtml } from '../html/tree';
import { decodeText } from '../text/decode';
import { openZip } from '../zip/zip';
import { readSpine } from './package';

/** Reads a book: the pages of its spine as one document, so that sections may span several files. Missing pages are skipped. */
export const read: ReadDocument = (bytes, { name, limits }) => {
  const zip = openZip(bytes, limits);
  const spine = readSpine(zip, limits);
  if (spine.length > limits.maxPages) {
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has ${spine.length} parts; the limit is ${limits.maxPages}.`);
  }
  const bodies = spine.flatMap((part) => {
    const content = zip.read(part);
    return content === undefined ? [] : [toHtmlBody(decodeText(content, { name: part }))];
  });
  if (bodies.length === 0)
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' contains none of the pages that its spine names.`);
  const builder = createDocument(getStem(name));
  readHtml(`<!DOCTYPE html><html><body>${bodies.join('\n')}</body></html>`, builder, {
    name,
    limits,
    furniture: 'none',
  });
  return builder.document;
};

/** Elements that never have content, so that `<br/>` needs no end tag. */
const voidElements = 'area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr';
const selfClosed = new RegExp(`<(?!(?:${voidElements})\\b)([A-Za-z][\\w:-]*)((?:\\s[^<>]*?)?)/>`, 'gi');

/** Returns the content of the body as HTML. Self-closing tags of XHTML are expanded, because HTML does not support them. */
function toHtmlBody(page: string): string {
  // The pages become one document, so a link to another page becomes a link within it.
  return extractBody(page)
    .replace(selfClosed, '<$1$2></$1>')
    .replace(/(\shref=")(?!\w+:|\/\/)[^"#]*\.(?:xhtml|xht|html?)(#[^"]*")/gi, '$1$2');
}
