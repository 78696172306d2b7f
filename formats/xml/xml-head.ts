/** The part of an XML document that identifies its dialect. */
export interface XmlHead {
  /** Name of the root element with the document's own prefix; empty if the head is not XML. */
  root: string;
  /** The document type declaration before the internal subset. */
  doctype: string;
  /** The start tag of the root element, as far as the head contains it. */
  tag: string;
}

/** Reads only the first bytes, skipping XML declaration, comments and document type. */
export function readXmlHead(head: Uint8Array): XmlHead {
  const start = Buffer.from(head.subarray(0, 4096))
    .toString('latin1')
    .replace(/^(?:\u00ef\u00bb\u00bf)?\s*/, '');
  const content = start.replace(/^(?:<\?[^]*?\?>\s*|<!--[^]*?-->\s*)+/, '');
  const doctype = /^<!DOCTYPE\s[^[>]*/i.exec(content)?.[0] ?? '';
  const match = /^<([A-Za-z_][\w:.-]*)(?:[\s/>][^>]*)?/.exec(
    doctype === '' ? content : omitDoctype(content).replace(/^(?:\s+|<\?[^]*?\?>|<!--[^]*?-->)+/, ''),
  );
  // If the internal subset is longer than the head, the declaration still names the root element.
  const root = match?.[1] ?? /^<!DOCTYPE\s+([\w:.-]+)/i.exec(doctype)?.[1] ?? '';
  return { root, doctype, tag: match?.[0] ?? '' };
}

/** Returns the text without its document type declaration, whose end is found by its brackets and quotes. */
export function omitDoctype(text: string): string {
  const from = text.slice(0, 65_536).search(/<!DOCTYPE\s/i);
  if (from < 0) return text;
  let depth = 0;
  let quote = '';
  for (let at = from; at < text.length; at++) {
    const sign = text[at]!;
    if (quote !== '') {
      if (sign === quote) quote = '';
    } else if (text.startsWith('<!--', at)) {
      // Apostrophes in comments are not quotes.
      const end = text.indexOf('-->', at + 4);
      if (end < 0) break;
      at = end + 2;
    } else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '[') depth += 1;
    else if (sign === ']') depth -= 1;
    else if (sign === '>' && depth <= 0) return text.slice(0, from) + text.slice(at + 1);
  }
  return text.slice(0, from);
}
