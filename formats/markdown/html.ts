import MarkdownIt, { type Token } from 'markdown-it';
import { toWhiteSpace, readRuns } from './runs';

/**
 * Renders a document with HTML blocks as the HTML that the reference reads: images become their alternative text, cells and
 * paragraphs have no line breaks, cells have no styles, bare URLs are not links, and code contains the characters that entities
 * stand for. Of inline tags only pictures and links are kept. Changes the tokens.
 */
export function writeHtml(parser: InstanceType<typeof MarkdownIt>, tokens: Token[]): string {
  const { escapeHtml } = parser.utils;
  const code = (text: string) => escapeHtml(text).replace(/&amp;(?=(?:\w+|#\d+|#x[\da-f]+);)/gi, '&');
  const { rules } = parser.renderer;
  rules['image'] = (around, at) => escapeHtml(around[at]!.content);
  rules['hardbreak'] = () => ' ';
  rules['html_inline'] = (around, at) => getKeptTag(around[at]!.content);
  rules['code_inline'] = (around, at) => `<code>${code(around[at]!.content)}</code>`;
  rules['code_block'] = (around, at) => `<pre><code>${code(around[at]!.content)}</code></pre>\n`;
  parser.set({ highlight: code });
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'inline') simplify(token, /^t[hd]_open$/.test(tokens[at - 1]?.type ?? ''));
  }
  return parser.renderer.render(tokens, parser.options, {});
}

function getKeptTag(tag: string): string {
  return /^<(?:img|a|\/a)\b/i.test(tag) ? tag : toWhiteSpace(tag);
}

function simplify(token: Token, isCell: boolean): void {
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
