import { listDescendants, listElements, joinText, type XmlElement } from '../xml/xml';
import { toLatex } from './docx/equation';

/** Returns the text of a DrawingML paragraph (`a:p`). A line break becomes a blank. */
export function readDrawingText(paragraph: XmlElement): string {
  let text = '';
  for (const node of listElements(paragraph)) {
    if (node.name === 'a:r' || node.name === 'a:fld') text += listElements(node, 'a:t').map(joinText).join('');
    else if (node.name === 'a:br') text += ' ';
    else if (node.name === 'mc:AlternateContent' || node.name === 'mc:Choice') text += readDrawingText(node);
    else if (node.name.endsWith('m:m') || node.name === 'a14:m') text += readMath(node);
  }
  // Escapes that PowerPoint writes for control characters; a vertical tab is a soft break.
  return text.replaceAll('\u000b', ' ').replaceAll(/_x000[bBdD]_/g, ' ');
}

/** Returns the texts of SmartArt points in the order of the data part, without empty ones. */
export function listDiagramTexts(data: XmlElement): string[] {
  return listDescendants(data, 'dgm:t')
    .map((body) => listElements(body, 'a:p').map(readDrawingText).join(' ').trim())
    .filter((text) => text !== '');
}

function readMath(element: XmlElement): string {
  return listElements(element)
    .flatMap((node) => (node.name === 'm:oMathPara' ? listElements(node, 'm:oMath') : [node]))
    .map((equation) => `$${toLatex(equation)}$`)
    .join(' ');
}
