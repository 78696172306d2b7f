import { textOf, type XmlElement } from '../xml';

/** LaTeX of an Office Math element (ECMA-376 part 1, 22.1). */
export function toLatex(element: XmlElement): string {
  return textOf(element).trim();
}
