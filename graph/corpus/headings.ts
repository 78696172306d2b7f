import type { DoclingDocument } from '../../document/model';
import { toMarkdownWithSpans } from '../../document/pages';
import { readableText } from '../../document/write/text';
import type { Contribution, FactPassage } from '../../model/graph/facts';

/** A line that is a heading: its text, its level from 1, and its position (`nth`, from 0) among the `of` equal lines of the document. */
export interface Heading {
  line: string;
  level: number;
  nth: number;
  of: number;
}

const maxLevel = 6;

/** The headings of a converted document, in order, as lines of its readable text. */
export function listHeadings(document: DoclingDocument): Heading[] {
  const { markdown, spans } = toMarkdownWithSpans(document, readableText);
  const starts = new Map<number, number>();
  for (const { start, headings, isHeading } of spans)
    if (isHeading) starts.set(markdown.lastIndexOf('\n', start - 1) + 1, Math.min(headings.length, maxLevel));
  if (starts.size === 0) return [];
  const seen = new Map<string, number>();
  const found: Heading[] = [];
  let offset = 0;
  for (const rawLine of markdown.split('\n')) {
    const [line, level] = [rawLine.trim(), starts.get(offset)];
    const nth = seen.get(line) ?? 0;
    if (level !== undefined && line !== '') found.push({ line, level, nth, of: 0 });
    seen.set(line, nth + 1);
    offset += rawLine.length + 1;
  }
  return found.map((heading) => ({ ...heading, of: seen.get(heading.line) ?? 0 }));
}

/**
 * Puts Markdown marks before the lines of a plain text that are headings, and adds nothing else. Undefined unless every heading
 * occurs in the text as often as in the document: otherwise text under a masked heading would belong to the heading before it.
 */
export function markHeadings(text: string, headings: readonly Heading[]): string | undefined {
  const lines = text.split('\n');
  const places = new Map(headings.map(({ line }) => [line, [] as number[]]));
  for (const [index, line] of lines.entries()) places.get(line.trim())?.push(index);
  for (const { line, level, nth, of } of headings) {
    const found = places.get(line) ?? [];
    const index = found[nth];
    if (found.length !== of || index === undefined) return undefined;
    lines[index] = `${'#'.repeat(level)} ${line}`;
  }
  return lines.join('\n');
}

/** The facts with passages without the marks that `markHeadings` added. */
export function removeMarks({ nodes, edges }: Contribution): Contribution {
  const clean = <Fact extends { passages: FactPassage[] }>(fact: Fact): Fact => ({
    ...fact,
    passages: fact.passages.map((passage) => ({ ...passage, text: passage.text.replace(/^#{1,6} /gm, '') })),
  });
  return { nodes: nodes.map(clean), edges: edges.map(clean) };
}
