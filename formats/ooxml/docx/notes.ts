import { listElements, type XmlElement } from '../../xml/xml';
import { createRunReader, type RunReader } from './runs';
import type { DocumentContext } from './story';

/** Adds the footnotes and endnotes that the text references, in the order of their marks, after the body. */
export function addNotes(context: DocumentContext, marks: RunReader['notes']): void {
  const { builder, office, styles } = context;
  const seen = new Set<string>();
  for (const { kind, id } of marks) {
    if (seen.has(`${kind}${id}`)) continue;
    seen.add(`${kind}${id}`);
    const part = office.related(office.mainPart, `${kind}s`);
    const note = part === undefined ? undefined : findNote(office.xml(part), kind, id);
    if (part === undefined || note === undefined) continue;
    const runs = createRunReader(styles, office.relationships(part));
    const text = listElements(note, 'w:p')
      .map((paragraph) => runs.read(paragraph).textWithEquations.trim())
      .filter((line) => line !== '')
      .join('\n');
    if (text !== '') builder.text('footnote', text);
  }
}

function findNote(root: XmlElement | undefined, kind: string, id: string): XmlElement | undefined {
  return listElements(root, `w:${kind}`).find(({ attributes }) => attributes['w:id'] === id);
}
