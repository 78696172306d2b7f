/** The text and position of a chunk or of a whole document. */
export interface Passage {
  content: string;
  /** Index among the chunks of its document. */
  index: number;
  /** Offset in its document, if known. */
  start?: number;
  title: string;
}

/** Creates a passage from its text and the columns or metadata with its position. */
export function getPassage(content: unknown, title: unknown, place: Record<string, unknown>): Passage {
  const { chunk_index: index, start_index: start } = place;
  return {
    content: typeof content === 'string' ? content : '',
    index: typeof index === 'number' ? index : 0,
    ...(typeof start === 'number' ? { start } : {}),
    title: typeof title === 'string' ? title : '',
  };
}

/** Joins passages in order into one text. If their offsets show an overlap, repeated text is removed. */
export function joinPassages(passages: readonly Passage[]): string {
  let text = '';
  let end = 0;
  for (const { content, start } of passages.toSorted((passage, other) => passage.index - other.index)) {
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
