/** A complete start or end tag. */
const tag = /<(\/?)([a-z_][\w:.-]{0,60})((?:\s+[\w:.-]+=(?:"[^"<>]*"|'[^'<>]*'))*)\s*(\/?)>/gi;

/** More deeply nested elements are dropped, with their end tags. */
const maxDepth = 100;

/**
 * Turns DocLang written by a model into valid XML: text around it is removed, open elements are closed, unmatched end tags and
 * XML special characters become text. Takes linear time.
 */
export function repairDoclang(answer: string): string {
  const start = Math.max(0, answer.search(/<doclang[\s>]/i));
  const source = answer.slice(start).replace(/<!\[CDATA\[([^]*?)(?:\]\]>|$)/g, (_, text: string) => escapeText(text));
  const open: string[] = [];
  let xml = '';
  let last = 0;
  for (const match of source.matchAll(tag)) {
    const [whole, slash, name = '', attributes = '', isEmpty] = match;
    xml += toXmlText(source.slice(last, match.index));
    last = match.index + whole.length;
    if (slash) xml += closeTags(open, name);
    else if (open.length < maxDepth) {
      xml += `<${name}${attributes.replace(/&(?!#?\w+;)/g, '&amp;')}${isEmpty ? '/' : ''}>`;
      if (!isEmpty) open.push(name);
    }
    if (open.length === 0) return xml;
  }
  return xml + toXmlText(source.slice(last)) + takeEndTags(open, 0);
}

/** Closes the innermost element with that name and everything inside it. An unmatched end tag closes nothing. */
function closeTags(open: string[], name: string): string {
  const at = open.lastIndexOf(name);
  return at < 0 ? '' : takeEndTags(open, at);
}

/** Removes the open elements from this index on, and returns their end tags. */
function takeEndTags(open: string[], at: number): string {
  const ends = open.splice(at).toReversed();
  return ends.map((name) => `</${name}>`).join('');
}

/** Escapes text except for references. An incomplete tag at the end of an answer is removed. */
function toXmlText(part: string): string {
  return escapeText(part.replace(/<[/\w][^<>]*$/, ''))
    .replaceAll('&amp;#', '&#')
    .replace(/&amp;(amp|lt|gt|quot|apos);/g, '&$1;');
}

function escapeText(part: string): string {
  return part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
