/**
 * Converts the storage format of Confluence to HTML. Macros are not run: one that includes another page would show its text to
 * everybody who may read this page. Code blocks keep their text, and parameters of macros are left out.
 */
export function toHtml(title: string, storage: string): string {
  const parts: string[] = [];
  /** Names of the open elements whose content is left out, the innermost one last. */
  const hidden: string[] = [];
  let at = 0;
  while (at < storage.length) {
    const start = storage.indexOf('<', at);
    const text = storage.slice(at, start === -1 ? undefined : start);
    if (hidden.length === 0) parts.push(text);
    if (start === -1) break;
    if (storage.startsWith('<![CDATA[', start)) {
      const end = storage.indexOf(']]>', start);
      const inner = storage.slice(start + 9, end === -1 ? undefined : end);
      if (hidden.length === 0) parts.push(escapeText(inner));
      at = end === -1 ? storage.length : end + 3;
      continue;
    }
    if (storage.startsWith('<!--', start)) {
      const end = storage.indexOf('-->', start);
      at = end === -1 ? storage.length : end + 3;
      continue;
    }
    const end = storage.indexOf('>', start);
    const tag = storage.slice(start, end === -1 ? undefined : end + 1);
    at = end === -1 ? storage.length : end + 1;
    convertTag(tag, parts, hidden);
  }
  const heading = escapeText(title);
  return `<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>${heading}</title></head><body><h1>${heading}</h1>\n${parts.join('')}\n</body></html>\n`;
}

/** Elements of Confluence that hold settings instead of text. */
const hiddenElements = new Set([
  'ac:parameter',
  'ac:placeholder',
  'ac:default-parameter',
  'ac:emoticon',
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
const settings = new Set(['ac:task-id', 'ac:task-uuid', 'ac:task-status']);

function convertTag(tag: string, parts: string[], hidden: string[]): void {
  const [, slash = '', input = '', rest = ''] = /^<(\/?)([A-Za-z][\w:.-]*)([^>]*)>?$/s.exec(tag) ?? [];
  const name = input.toLowerCase();
  const isEmpty = rest.endsWith('/');
  if (hidden.length > 0) {
    if (slash !== '' && name === hidden.at(-1)) hidden.pop();
    else if (slash === '' && !isEmpty && name === hidden.at(-1)) hidden.push(name);
    return;
  }
  if (hiddenElements.has(name) || settings.has(name)) {
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
