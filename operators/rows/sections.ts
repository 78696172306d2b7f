import { chunkText } from '../../document/chunk/simple';

/** The parts of a text that a model receives, and how much of the text is left out. */
export interface Sections {
  sections: string[];
  /** Characters at the end that are in no section. */
  unread: number;
}

/** Cuts a text at paragraphs and sentences, without overlap, into at most `maxSections` sections of at most `size` characters. */
export function cutSections(text: string, size: number, maxSections: number): Sections {
  if (text.trim() === '') return { sections: [], unread: 0 };
  const chunks =
    text.length <= size ? [{ text, end: text.length }] : chunkText(text, { chunkSize: size, chunkOverlap: 0 });
  const read = chunks.slice(0, maxSections);
  return { sections: read.map((item) => item.text), unread: text.length - (read.at(-1)?.end ?? text.length) };
}
