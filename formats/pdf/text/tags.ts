import type { Line } from './line';
import type { ReadPage } from './upright';

/** Heading tags are wrong if they contain more than this share of the characters of a document. */
const maxHeadingShare = 0.3;
/** Artifact tags are wrong if they contain more than this share of the characters of a page. */
const maxArtifactShare = 0.3;
/** Heading tags are wrong if more than this share of their lines look and read like body text. */
const maxBodyLikeShare = 0.5;
/** A line in the style of body text is no heading if it has more characters. */
const maxHeadingLength = 80;

/** True for heading tags: H, H1 to H6, Title. */
export function isHeadingTag(tag: string | undefined): boolean {
  return tag !== undefined && /^(?:H[1-6]?|Title)$/.test(tag);
}

/**
 * Removes tags that cannot be right. Heading tags are removed if too much of the document has them, if most of them look and
 * read like body text, or if nothing else is tagged. Artifact tags are removed on pages where too much has them.
 */
export function dropFalseTags(pages: readonly ReadPage[]): void {
  const lines = pages.flatMap((page) => page.lines).filter(({ tag }) => tag !== undefined);
  if (lines.length === 0) return;
  const headings = lines.filter(({ tag }) => isHeadingTag(tag));
  if (headings.length > 0 && !areHeadings(headings, pages)) drop(headings);
  for (const page of pages) {
    const artifacts = page.lines.filter(({ tag }) => tag === 'Artifact');
    if (countCharacters(artifacts) > maxArtifactShare * countCharacters(page.lines)) drop(artifacts);
  }
}

function areHeadings(headings: readonly Line[], pages: readonly ReadPage[]): boolean {
  const marked = new Set(headings);
  const others = pages.flatMap((page) => page.lines).filter((line) => !marked.has(line));
  if (!others.some(({ tag }) => tag !== undefined && tag !== 'Artifact')) return false;
  if (countCharacters(headings) > maxHeadingShare * (countCharacters(headings) + countCharacters(others))) return false;
  const bodyStyle = findBodyStyle(others);
  const bodyLike = headings.filter((line) => formatStyle(line) === bodyStyle && readsLikeBody(line.text));
  return bodyLike.length <= maxBodyLikeShare * headings.length;
}

/** True for a line of a paragraph: long, or the end of a sentence. */
function readsLikeBody(text: string): boolean {
  return text.length > maxHeadingLength || /[.;,]$/.test(text);
}

/** The style of most characters: family, size, weight and slant. */
function findBodyStyle(lines: readonly Line[]): string | undefined {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const style = formatStyle(line);
    counts.set(style, (counts.get(style) ?? 0) + line.text.length);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}

function formatStyle({ family, size, bold, italic }: Line): string {
  return `${family} ${Math.round(size)} ${bold} ${italic}`;
}

function countCharacters(lines: readonly Line[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0);
}

function drop(lines: readonly Line[]): void {
  for (const line of lines) delete line.tag;
}
