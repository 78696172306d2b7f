import MarkdownIt, { type Token } from 'markdown-it';
import { toWhiteSpace, readRuns } from './runs';

/**
 * Renders a document with HTML blocks as the HTML that the reference reads: images become their alternative text, cells and
 * paragraphs have no line breaks, cells have no styles, bare URLs are not links, and code contains the characters that entities
 * stand for. Of inline tags only pictures and links are kept. Changes the tokens.
 */
export function writeHtml(parser: InstanceType<typeof MarkdownIt>, tokens: Token[]): string {
  const { escapeHtml } = parser.utils;
  const escapeCode = (text: string) => escapeHtml(text).replace(/&amp;(?=(?:\w+|#\d+|#x[\da-f]+);)/gi, '&');
  const { rules } = parser.renderer;
  rules['image'] = (inline, at) => escapeHtml(inline[at]!.content);
  rules['hardbreak'] = () => ' ';
  rules['html_inline'] = (inline, at) => keepTag(inline[at]!.content);
  rules['code_inline'] = (inline, at) => `<code>${escapeCode(inline[at]!.content)}</code>`;
  rules['code_block'] = (inline, at) => `<pre><code>${escapeCode(inline[at]!.content)}</code></pre>\n`;
  parser.set({ highlight: escapeCode });
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'inline') simplifyInline(token, /^t[hd]_open$/.test(tokens[at - 1]?.type ?? ''));
  }
  return parser.renderer.render(tokens, parser.options, {});
}

/** Keeps pictures and links; a line break becomes a blank. */
function keepTag(tag: string): string {
  return /^<(?:img|a|\/a)\b/i.test(tag) ? tag : toWhiteSpace(tag);
}

/** Reduces a cell to its text, and removes links inline bare URLs elsewhere. */
function simplifyInline(token: Token, isCell: boolean): void {
  if (isCell) {
    token.content = readRuns(token)
      .map(({ text }) => text)
      .join(' ');
    token.type = 'text';
    return;
  }
  token.children = (token.children ?? []).filter(
    ({ type, markup }) => !type.startsWith('link_') || markup !== 'autolink',
  );
}
