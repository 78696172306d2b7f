import type { Token } from 'markdown-it';
import type { DocumentBuilder } from '../../document/builder';
import type { Formatting, GroupItem, NodeItem } from '../../document/model';
import { normaliseLink } from '../html/link';

/** A piece of inline content with one style. */
export interface Run {
  kind: 'text' | 'code' | 'image';
  text: string;
  formatting: Formatting | null;
  hyperlink: string | null;
  /** Only for images: the title, which becomes the caption. */
  title?: string;
}

const runKinds: Readonly<Record<string, Run['kind']>> = { code_inline: 'code', image: 'image' };

/** Number of open elements of each kind, and the open links. */
interface Style {
  bold: number;
  italic: number;
  strikethrough: number;
  links: (string | null)[];
}

/**
 * Returns the runs of an inline token. Neighbours on one line with the same style are merged, white space at the ends and raw
 * tags are dropped. As in the reference, every source line and every bare URL is a separate run.
 */
export function readRuns(inline: Token): Run[] {
  const runs: Run[] = [];
  const style: Style = { bold: 0, italic: 0, strikethrough: 0, links: [] };
  let isSeparate = false;
  for (const token of inline.children ?? []) {
    if (changeStyle(style, token)) {
      isSeparate ||= token.markup === 'autolink';
      continue;
    }
    if (token.type === 'softbreak' || token.type === 'hardbreak') {
      isSeparate = true;
      continue;
    }
    const kind = runKinds[token.type] ?? 'text';
    const text = token.type === 'html_inline' ? toWhiteSpace(token.content) : token.content;
    const run: Run = { kind, text, formatting: buildFormatting(style), hyperlink: style.links.at(-1) ?? null };
    if (kind === 'image') run.title = String(token.attrGet('title') ?? '');
    const last = runs.at(-1);
    const isJoined = last && !isSeparate && kind === 'text' && last.kind === 'text' && isSameStyle(last, run);
    if (isJoined) last.text += text;
    else runs.push(run);
    isSeparate = false;
  }
  return runs
    .map((run) => ({ ...run, text: run.kind === 'text' ? run.text.trim() : run.text }))
    .filter((run) => run.kind === 'image' || run.text.trim() !== '');
}

/** Returns a blank for a raw line break, which separates words; nothing for other tags. */
export function toWhiteSpace(tag: string): string {
  return /^<br\b/i.test(tag) ? ' ' : '';
}

/** Applies a token that opens or closes a style. False for other tokens. */
function changeStyle(style: Style, token: Token): boolean {
  switch (token.type) {
    case 'strong_open':
    case 'strong_close':
      style.bold += token.nesting;
      return true;
    case 'em_open':
    case 'em_close':
      style.italic += token.nesting;
      return true;
    case 's_open':
    case 's_close':
      style.strikethrough += token.nesting;
      return true;
    case 'link_open':
      // The text of `<https://…>` is already its URL.
      style.links.push(token.markup === 'autolink' ? null : normaliseLink(String(token.attrGet('href') ?? '')));
      return true;
    case 'link_close':
      style.links.pop();
      return true;
    default:
      return false;
  }
}

function buildFormatting(style: Style): Formatting | null {
  if (style.bold <= 0 && style.italic <= 0 && style.strikethrough <= 0) return null;
  return {
    bold: style.bold > 0,
    italic: style.italic > 0,
    underline: false,
    strikethrough: style.strikethrough > 0,
    script: 'baseline',
  };
}

function isSameStyle(run: Run, other: Run): boolean {
  const keys = ['bold', 'italic', 'strikethrough'] as const;
  const hasSameFormatting = keys.every((key) => run.formatting?.[key] === other.formatting?.[key]);
  return hasSameFormatting && run.hyperlink === other.hyperlink;
}

/** Creates a node with this text; the text is empty if the content has several styles. */
type MakeOwner = (text: string, style: { formatting: Formatting | null; hyperlink: string | null }) => NodeItem;

/** Adds a heading or list item: its text, or an inline group with its runs. */
export function addOwned(builder: DocumentBuilder, runs: readonly Run[], makeOwner: MakeOwner): NodeItem {
  const [only] = runs;
  if (!only) return makeOwner('', { formatting: null, hyperlink: null });
  if (runs.length === 1 && only.kind === 'text') return makeOwner(only.text, only);
  const owner = makeOwner('', { formatting: null, hyperlink: null });
  addRuns(builder, runs, builder.group('inline', { parent: owner }));
  return owner;
}

/** Adds a paragraph: one item for a single style, an inline group for several. */
export function addParagraph(builder: DocumentBuilder, runs: readonly Run[], parent: NodeItem): void {
  if (runs.length === 0) return;
  addRuns(builder, runs, runs.length === 1 ? parent : builder.group('inline', { parent }));
}

function addRuns(builder: DocumentBuilder, runs: readonly Run[], parent: NodeItem | GroupItem): void {
  for (const { kind, text, formatting, hyperlink, title } of runs) {
    if (kind === 'code') builder.code(text, { parent, formatting, hyperlink });
    if (kind === 'text') builder.text('text', text, { parent, formatting, hyperlink });
    if (kind === 'image') {
      builder.picture({ parent, captions: title ? [builder.text('caption', title)] : [] });
      if (text.trim() !== '') builder.text('text', text.trim(), { parent, formatting, hyperlink });
    }
  }
}
