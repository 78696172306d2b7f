import type { Line } from './line';
import type { ReadPage } from './upright';

/** A document with a larger share of its letters in headings, or a page with more of them as artifacts, does not say what it is. */
const mostHeadings = 0.3;
const mostArtifacts = 0.3;
/** Characters of a heading that is set as the text is. */
const longestPlain = 80;

/** True for the tags of headings: H, H1 to H6, Title. */
export function isHeadingTag(tag: string | undefined): boolean {
  return tag !== undefined && /^(?:H[1-6]?|Title)$/.test(tag);
}

/**
 * Takes tags that cannot be right off the lines: those of headings where most of the document is one, where most of them are set and
 * written as the text is, or where nothing else is tagged; those of artifacts on pages that would have little else.
 */
export function dropFalseTags(pages: readonly ReadPage[]): void {
  const lines = pages.flatMap((page) => page.lines).filter(({ tag }) => tag !== undefined);
  if (lines.length === 0) return;
  const headings = lines.filter(({ tag }) => isHeadingTag(tag));
  if (headings.length > 0 && !areHeadings(headings, pages)) drop(headings);
  for (const page of pages) {
    const artifacts = page.lines.filter(({ tag }) => tag === 'Artifact');
    if (letters(artifacts) > mostArtifacts * letters(page.lines)) drop(artifacts);
  }
}

function areHeadings(headings: readonly Line[], pages: readonly ReadPage[]): boolean {
  const marked = new Set(headings);
  const others = pages.flatMap((page) => page.lines).filter((line) => !marked.has(line));
  if (!others.some(({ tag }) => tag !== undefined && tag !== 'Artifact')) return false;
  if (letters(headings) > mostHeadings * (letters(headings) + letters(others))) return false;
  const usual = usualSetting(others);
  const plain = headings.filter((line) => settingOf(line) === usual && looksLikeText(line.text));
  return plain.length <= 0.5 * headings.length;
}

/** A line of a paragraph: long, or the end of a sentence. */
function looksLikeText(text: string): boolean {
  return text.length > longestPlain || /[.;,]$/.test(text);
}

/** The setting of most letters. */
function usualSetting(lines: readonly Line[]): string | undefined {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(settingOf(line), (counts.get(settingOf(line)) ?? 0) + line.text.length);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}

function settingOf({ family, size, bold, italic }: Line): string {
  return `${family} ${Math.round(size)} ${bold} ${italic}`;
}

function letters(lines: readonly Line[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0);
}

function drop(lines: readonly Line[]): void {
  for (const line of lines) delete line.tag;
}
