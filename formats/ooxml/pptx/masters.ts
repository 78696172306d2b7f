import { drawingText } from '../text';
import { child, descendants, elements } from '../../xml/xml';
import { provenanceOf, type SlideContext } from './slide';
import { placeholderOf } from './theme';

/**
 * Adds the words that stand on the layout and the master of a slide, and so on every slide of theirs, as furniture of the first
 * such slide. `seen` are the parts whose words are there.
 */
export function addMasterTexts(context: SlideContext, seen: Set<string>): void {
  const { builder, office, part, group } = context;
  const layout = office.related(part, 'slideLayout');
  const master = layout === undefined ? undefined : office.related(layout, 'slideMaster');
  for (const name of [layout, master]) {
    if (name === undefined || seen.has(name)) continue;
    seen.add(name);
    const root = office.xml(name);
    for (const shape of root === undefined ? [] : descendants(root, 'p:sp')) {
      // What a placeholder says is a hint for the author.
      if (placeholderOf(shape) !== undefined) continue;
      const text = elements(child(shape, 'p:txBody'), 'a:p').map(drawingText).join('\n').trim();
      const prov = provenanceOf(context, { box: undefined }, text.length);
      if (/[\p{L}\p{N}]/u.test(text)) builder.text('page_header', text, { parent: group, layer: 'furniture', prov });
    }
  }
}
