/** What a chunk or a whole document says, and where it stands. */
export interface Passage {
  content: string;
  /** Its place among the chunks of its document. */
  index: number;
  /** Where it begins in its document, where that is known. */
  start?: number;
  title: string;
}

/** A passage of the columns or metadata that say where it stands. */
export function passageOf(content: unknown, title: unknown, place: Record<string, unknown>): Passage {
  const { chunk_index: index, start_index: start } = place;
  return {
    content: typeof content === 'string' ? content : '',
    index: typeof index === 'number' ? index : 0,
    ...(typeof start === 'number' ? { start } : {}),
    title: typeof title === 'string' ? title : '',
  };
}

/** The passages in their order as one text. Those that overlap say where they begin: what was said already is not said again. */
export function joinPassages(passages: readonly Passage[]): string {
  let text = '';
  let end = 0;
  for (const { content, start } of passages.toSorted((one, other) => one.index - other.index)) {
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
