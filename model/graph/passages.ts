/** The text and position of a chunk or of a whole document. */
export interface Passage {
  content: string;
  /** Index among the chunks of its document. */
  index: number;
  /** Offset in its document, if known. */
  start?: number;
  /** The headings above it, outermost first, if known. */
  headings?: readonly string[];
  title: string;
}

/** Creates a passage from its text and the columns or metadata with its position. */
export function buildPassage(content: unknown, title: unknown, place: Record<string, unknown>): Passage {
  const { chunk_index: index, start_index: start, headings } = place;
  const path = Array.isArray(headings) ? headings.filter((heading) => typeof heading === 'string') : [];
  return {
    content: typeof content === 'string' ? content : '',
    index: typeof index === 'number' ? index : 0,
    ...(typeof start === 'number' ? { start } : {}),
    ...(path.length > 0 ? { headings: path } : {}),
    title: typeof title === 'string' ? title : '',
  };
}

/** Joins passages in order into one text. If their offsets show an overlap, repeated text is removed. */
export function joinPassages(passages: readonly Passage[]): string {
  let text = '';
  let end = 0;
  for (const { content, start } of sortPassages(passages)) {
    const gap = text === '' ? '' : '\n\n';
    if (start === undefined) {
      text += gap + content;
      continue;
    }
    if (start + content.length <= end) continue;
    text += start <= end ? content.slice(end - start) : gap + content;
    end = start + content.length;
  }
  return text;
}

/** True if no chunk of the document contains the headings above this one: chunkers that omit them give no offset. */
export function hasOwnHeadings({ headings, start }: Passage): boolean {
  return headings !== undefined && start === undefined;
}

/**
 * As `joinPassages`, with the headings of chunks that have their own: as Markdown, where they change. Chunks that repeat their
 * headings before their text are joined without the repetition.
 */
export function joinUnderHeadings(passages: readonly Passage[]): string {
  let shown: readonly string[] = [];
  const withHeadings = sortPassages(passages).map((passage) => {
    const { headings: path = [], content } = passage;
    if (!hasOwnHeadings(passage)) return passage;
    const firstNew = path.findIndex((heading, index) => heading !== shown[index]);
    const marks = path.map((heading, index) => `${'#'.repeat(Math.min(index + 1, 6))} ${heading.replace(/\s+/g, ' ')}`);
    shown = path;
    const repeated = `${path.join('\n')}\n`;
    const own = content.startsWith(repeated) ? content.slice(repeated.length) : content;
    return { ...passage, content: [...(firstNew < 0 ? [] : marks.slice(firstNew)), own].join('\n\n') };
  });
  return joinPassages(withHeadings);
}

function sortPassages(passages: readonly Passage[]): Passage[] {
  return passages.toSorted((passage, other) => passage.index - other.index);
}
