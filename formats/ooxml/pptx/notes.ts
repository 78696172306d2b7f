import { drawingText } from '../text';
import { child, descendants, elements } from '../../xml/xml';
import type { SlideContext } from './slide-context';
import { placeholderOf } from './theme';

/** Adds the speaker's notes of a slide in the notes layer. */
export function addNotes({ builder, office, part, group, pageNo }: SlideContext): void {
  const notesPart = office.related(part, 'notesSlide');
  const notes = notesPart === undefined ? undefined : office.xml(notesPart);
  if (notes === undefined) return;
  for (const shape of descendants(notes, 'p:sp')) {
    if (placeholderOf(shape)?.type !== 'body') continue;
    const text = elements(child(shape, 'p:txBody'), 'a:p').map(drawingText).join('\n').trim();
    if (text === '') continue;
    const bbox = { l: 0, t: 0, r: 0, b: 0, coord_origin: 'TOPLEFT' as const };
    const prov = [{ page_no: pageNo, bbox, charspan: [0, text.length] }];
    builder.text('text', text, { parent: group, layer: 'notes', prov });
  }
}
