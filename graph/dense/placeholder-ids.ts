import { isPlaceholderName } from './nodes';
import { getClass } from '../template/template';
import type { GraphTemplate } from '../template/model';
import { type Attributes, isEmpty, setMember } from '../core/value';

/**
 * Removes an identity of the root that only repeats the class name, which models write when they find none. With `stem`, a
 * missing identity becomes the name of the document.
 */
export function clearPlaceholderIds(template: GraphTemplate, instance: Attributes, stem?: string): Attributes {
  const one = getClass(template, template.root);
  const cleared = { ...instance };
  for (const field of one.idFields) if (isPlaceholderName(cleared[field] ?? null, one)) delete cleared[field];
  const [first] = one.idFields;
  const isText = one.fields.some(({ name, type, isList }) => name === first && type === 'str' && !isList);
  if (stem && first && isText && one.idFields.every((field) => isEmpty(cleared[field])))
    setMember(cleared, first, stem);
  return cleared;
}
