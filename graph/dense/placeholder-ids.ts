import { type Attributes, isEmpty, setMember } from '../core/value';
import type { GraphTemplate } from '../template/model';
import { getClass } from '../template/template';
import { isPlaceholderName } from './nodes';

/**
 * Removes an identity of the root that only repeats the class name, which models write when they find none. With `stem`, a
 * missing identity becomes the name of the document.
 */
export function clearPlaceholderIds(template: GraphTemplate, instance: Attributes, stem?: string): Attributes {
  const templateClass = getClass(template, template.root);
  const cleared = { ...instance };
  for (const field of templateClass.idFields)
    if (isPlaceholderName(cleared[field] ?? null, templateClass)) delete cleared[field];
  const [first] = templateClass.idFields;
  const isText = templateClass.fields.some(({ name, type, isList }) => name === first && type === 'str' && !isList);
  if (stem && first && isText && templateClass.idFields.every((field) => isEmpty(cleared[field])))
    setMember(cleared, first, stem);
  return cleared;
}
