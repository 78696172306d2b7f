import type { RecordOmission } from '../../coverage';
import { findChild, listDescendants, listElements } from '../../xml/xml';
import { readDrawingText } from '../text';
import type { SlideContext } from './slide-context';
import { findPlaceholder } from './theme';

/** Placeholders that a printed notes page shows around the notes. */
const furnitureKinds: Readonly<Record<string, string>> = { hdr: 'notes header', ftr: 'notes footer', dt: 'notes date' };
/** Placeholders that only repeat the slide: its number and its picture. */
const repeated: ReadonlySet<string> = new Set(['sldNum', 'sldImg']);

/**
 * Adds the speaker's notes of a slide in the notes layer. Headers and footers of printed notes, which are on no slide, are
 * reported as omitted.
 */
export function addNotes(
  { builder, office, part, group, pageNo }: SlideContext,
  recordOmission?: RecordOmission,
): void {
  const notesPart = office.related(part, 'notesSlide');
  const notes = notesPart === undefined ? undefined : office.xml(notesPart);
  if (notes === undefined) return;
  for (const shape of listDescendants(notes, 'p:sp')) {
    const type = findPlaceholder(shape)?.type;
    const text = listElements(findChild(shape, 'p:txBody'), 'a:p').map(readDrawingText).join('\n').trim();
    if (text === '') continue;
    if (type !== 'body') {
      if (!repeated.has(type ?? '')) recordOmission?.(furnitureKinds[type ?? ''] ?? 'text on a notes page', text);
      continue;
    }
    const bbox = { l: 0, t: 0, r: 0, b: 0, coord_origin: 'TOPLEFT' as const };
    const prov = [{ page_no: pageNo, bbox, charspan: [0, text.length] }];
    builder.text('text', text, { parent: group, layer: 'notes', prov });
  }
}
