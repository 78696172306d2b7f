import { descendants, elements, textOf, type XmlElement } from '../xml/xml';
import { toLatex } from './docx/equation';

/** Returns the text of a DrawingML paragraph (`a:p`). A line break becomes a blank. */
export function getDrawingText(paragraph: XmlElement): string {
  let text = '';
  for (const node of elements(paragraph)) {
    if (node.name === 'a:r' || node.name === 'a:fld') text += elements(node, 'a:t').map(textOf).join('');
    else if (node.name === 'a:br') text += ' ';
    else if (node.name === 'mc:AlternateContent' || node.name === 'mc:Choice') text += getDrawingText(node);
    else if (node.name.endsWith('m:m') || node.name === 'a14:m') text += mathText(node);
  }
  // Escapes that PowerPoint writes for control characters; a vertical tab is a soft break.
  return text.replaceAll('\u000b', ' ').replaceAll(/_x000[bBdD]_/g, ' ');
}

/** Returns the texts of SmartArt points in the order of the data part, without empty ones. */
export function listDiagramTexts(data: XmlElement): string[] {
  return descendants(data, 'dgm:t')
    .map((body) => elements(body, 'a:p').map(getDrawingText).join(' ').trim())
    .filter((text) => text !== '');
}

function mathText(element: XmlElement): string {
  return elements(element)
    .flatMap((node) => (node.name === 'm:oMathPara' ? elements(node, 'm:oMath') : [node]))
    .map((equation) => `$${toLatex(equation)}$`)
    .join(' ');
}
