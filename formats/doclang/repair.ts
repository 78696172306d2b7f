/**
 * DocLang as a model wrote it as XML that can be read: what stands around it is left out, elements that are not closed are,
 * ends without a beginning and signs that mean something in XML are text. Takes linear time.
 */
export function repairedDoclang(written: string): string {
  const start = Math.max(0, written.search(/<doclang[\s>]/i));
  const source = written.slice(start).replace(/<!\[CDATA\[([^]*?)(?:\]\]>|$)/g, (_, text: string) => escaped(text));
  const open: string[] = [];
  let xml = '';
  let last = 0;
  for (const found of source.matchAll(tag)) {
    const [whole, slash, name = '', attributes = '', isEmpty] = found;
    xml += text(source.slice(last, found.index));
    last = found.index + whole.length;
    if (slash) xml += closing(open, name);
    else if (open.length < maxDepth) {
      xml += `<${name}${attributes.replace(/&(?!#?\w+;)/g, '&amp;')}${isEmpty ? '/' : ''}>`;
      if (!isEmpty) open.push(name);
    }
    if (open.length === 0) return xml;
  }
  return xml + text(source.slice(last)) + endsFrom(open, 0);
}

/** A whole element, begun or ended. */
const tag = /<(\/?)([a-z_][\w:.-]{0,60})((?:\s+[\w:.-]+=(?:"[^"<>]*"|'[^'<>]*'))*)\s*(\/?)>/gi;

/** Deeper elements are left out, with their ends. */
const maxDepth = 100;

/** Ends for the innermost element of that name and all within it; an end that nothing began is none. */
function closing(open: string[], name: string): string {
  const at = open.lastIndexOf(name);
  return at < 0 ? '' : endsFrom(open, at);
}

function endsFrom(open: string[], at: number): string {
  const ends = open.splice(at).toReversed();
  return ends.map((name) => `</${name}>`).join('');
}

/** An unfinished element at the end of an answer is no text. */
function text(part: string): string {
  return escaped(part.replace(/<[/\w][^<>]*$/, ''))
    .replaceAll('&amp;#', '&#')
    .replace(/&amp;(amp|lt|gt|quot|apos);/g, '&$1;');
}

function escaped(part: string): string {
  return part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
