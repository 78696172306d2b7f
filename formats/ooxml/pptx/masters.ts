import { findChild, listDescendants, listElements } from '../../xml/xml';
import { readDrawingText } from '../text';
import { createProvenance, type SlideContext } from './slide-context';
import { findPlaceholder } from './theme';

/**
 * Adds the text of a slide's layout and master, which appears on every slide that uses them, as furniture of the first such
 * slide. `seen` contains the parts that have been added.
 */
export function addMasterTexts(context: SlideContext, seen: Set<string>): void {
  const { builder, office, part, group } = context;
  const layout = office.related(part, 'slideLayout');
  const master = layout === undefined ? undefined : office.related(layout, 'slideMaster');
  for (const name of [layout, master]) {
    if (name === undefined || seen.has(name)) continue;
    seen.add(name);
    const root = office.xml(name);
    for (const shape of root === undefined ? [] : listDescendants(root, 'p:sp')) {
      // The text of a placeholder is a hint for the author.
      if (findPlaceholder(shape) !== undefined) continue;
      const text = listElements(findChild(shape, 'p:txBody'), 'a:p').map(readDrawingText).join('\n').trim();
      const prov = createProvenance(context, { box: undefined }, text.length);
      if (/[\p{L}\p{N}]/u.test(text)) builder.text('page_header', text, { parent: group, layer: 'furniture', prov });
    }
  }
}
