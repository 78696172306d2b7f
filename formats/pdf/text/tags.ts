import type { Line } from './line';
import type { ReadPage } from './upright';

/** Tags are unreliable above this share of letters in headings (per document) or in artifacts (per page). */
const maxHeadings = 0.3;
const maxArtifacts = 0.3;
/** Maximum characters in a heading in the style of body text. */
const longestPlain = 80;

/** True for heading tags: H, H1 to H6, Title. */
export function isHeadingTag(tag: string | undefined): boolean {
  return tag !== undefined && /^(?:H[1-6]?|Title)$/.test(tag);
}

/**
 * Removes tags that cannot be right. Heading tags are removed if most of the document has them, if most of them look and read
 * like body text, or if nothing else is tagged. Artifact tags are removed on pages that would have little else.
 */
export function dropFalseTags(pages: readonly ReadPage[]): void {
  const lines = pages.flatMap((page) => page.lines).filter(({ tag }) => tag !== undefined);
  if (lines.length === 0) return;
  const headings = lines.filter(({ tag }) => isHeadingTag(tag));
  if (headings.length > 0 && !areHeadings(headings, pages)) drop(headings);
  for (const page of pages) {
    const artifacts = page.lines.filter(({ tag }) => tag === 'Artifact');
    if (countLetters(artifacts) > maxArtifacts * countLetters(page.lines)) drop(artifacts);
  }
}

function areHeadings(headings: readonly Line[], pages: readonly ReadPage[]): boolean {
  const marked = new Set(headings);
  const others = pages.flatMap((page) => page.lines).filter((line) => !marked.has(line));
  if (!others.some(({ tag }) => tag !== undefined && tag !== 'Artifact')) return false;
  if (countLetters(headings) > maxHeadings * (countLetters(headings) + countLetters(others))) return false;
  const typicalSetting = findUsualSetting(others);
  const plain = headings.filter((line) => formatSetting(line) === typicalSetting && looksLikeText(line.text));
  return plain.length <= 0.5 * headings.length;
}

/** True for a line of a paragraph: long, or the end of a sentence. */
function looksLikeText(text: string): boolean {
  return text.length > longestPlain || /[.;,]$/.test(text);
}

/** The style of most characters: family, size, weight and slant. */
function findUsualSetting(lines: readonly Line[]): string | undefined {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(formatSetting(line), (counts.get(formatSetting(line)) ?? 0) + line.text.length);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}

function formatSetting({ family, size, bold, italic }: Line): string {
  return `${family} ${Math.round(size)} ${bold} ${italic}`;
}

function countLetters(lines: readonly Line[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0);
}

function drop(lines: readonly Line[]): void {
  for (const line of lines) delete line.tag;
}
