/**
 * Converts the storage format of Confluence to HTML. Macros are not run: one that includes another page would show its text to
 * everybody who may read this page. Code blocks keep their text, and parameters of macros are left out.
 */
export function toHtml(title: string, storage: string): string {
  const parts: string[] = [];
  /** Names of the open elements whose content is left out, the innermost one last. */
  const hidden: string[] = [];
  let position = 0;
  /** Moves behind the next `mark`, or to the end; returns the text from `from` up to the mark. */
  const readUntil = (mark: string, from: number): string => {
    const end = storage.indexOf(mark, from);
    position = end === -1 ? storage.length : end + mark.length;
    return storage.slice(from, end === -1 ? undefined : end);
  };
  while (position < storage.length) {
    const start = storage.indexOf('<', position);
    const text = storage.slice(position, start === -1 ? undefined : start);
    if (hidden.length === 0) parts.push(text);
    if (start === -1) break;
    if (storage.startsWith(cdataStart, start)) {
      const content = readUntil(']]>', start + cdataStart.length);
      if (hidden.length === 0) parts.push(escapeText(content));
    } else if (storage.startsWith('<!--', start)) readUntil('-->', start);
    else {
      readUntil('>', start);
      convertTag(storage.slice(start, position), parts, hidden);
    }
  }
  const heading = escapeText(title);
  return `<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>${heading}</title></head><body><h1>${heading}</h1>\n${parts.join('')}\n</body></html>\n`;
}

/** Elements that hold settings or code instead of text. */
const hiddenElements = new Set([
  'ac:parameter',
  'ac:placeholder',
  'ac:default-parameter',
  'ac:emoticon',
  'ac:task-id',
  'ac:task-uuid',
  'ac:task-status',
  'script',
  'style',
]);
/** Elements of Confluence with an HTML element of the same meaning. */
const elementNames: Readonly<Record<string, string>> = {
  'ac:plain-text-body': 'pre',
  'ac:layout-section': 'div',
  'ac:layout-cell': 'div',
  'ac:rich-text-body': 'div',
  'ac:task-list': 'ul',
  'ac:task-body': 'li',
};
const cdataStart = '<![CDATA[';

/** Appends the HTML of a tag to `parts`, and keeps track of the elements that are left out in `hidden`. */
function convertTag(tag: string, parts: string[], hidden: string[]): void {
  const [, slash = '', tagName = '', attributes = ''] = /^<(\/?)([A-Za-z][\w:.-]*)([^>]*)>?$/s.exec(tag) ?? [];
  const name = tagName.toLowerCase();
  const isEmpty = attributes.endsWith('/');
  if (hidden.length > 0) {
    if (slash !== '' && name === hidden.at(-1)) hidden.pop();
    else if (slash === '' && !isEmpty && name === hidden.at(-1)) hidden.push(name);
    return;
  }
  if (hiddenElements.has(name)) {
    if (slash === '' && !isEmpty) hidden.push(name);
    return;
  }
  if (name === '') parts.push(escapeText(tag));
  else if (Object.hasOwn(elementNames, name)) parts.push(isEmpty ? '' : `<${slash}${elementNames[name]}>`);
  // Elements of links, images and macros have no HTML counterpart; their text is kept.
  else if (!name.includes(':')) parts.push(tag);
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
