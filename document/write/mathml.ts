import temml from 'temml';
import { referenceForm } from './mathml-form';

/** A longer formula stays TeX: nobody reads it as a picture, and it would take long to typeset. */
const maxLength = 20_000;
/** Deeper groups than these are no formula; the typesetter would run out of stack. */
const maxDepth = 100;

/**
 * TeX as MathML with the TeX in an annotation; undefined where it is no TeX that can be typeset. Commands that name
 * addresses, files, styles or scripts are not obeyed.
 */
export function mathmlOf(tex: string, display: 'block' | 'inline'): string | undefined {
  if (tex.length > maxLength || depthOf(tex) > maxDepth) return undefined;
  let markup: string;
  try {
    markup = temml.renderToString(knownTo(tex), {
      displayMode: display === 'block',
      annotate: false,
      xml: true,
      throwOnError: true,
      trust: false,
      maxExpand: 1_000,
      maxSize: [100, 100],
    });
  } catch {
    // What the typesetter refuses is shown as TeX.
    return undefined;
  }
  const inside = /^<math[^>]*>(.*)<\/math>$/s.exec(markup)?.[1];
  if (inside === undefined) return undefined;
  const plain = inside.replace(/ (?:class|style)="[^"]*"/g, '');
  const formed = referenceForm(/^<mrow>.*<\/mrow>$/s.test(plain) ? plain : `<mrow>${plain}</mrow>`, tex);
  const row = formed.startsWith('<mrow>') && formed.endsWith('</mrow>') ? formed : `<mrow>${formed}</mrow>`;
  return `<math xmlns="http://www.w3.org/1998/Math/MathML" display="${display}">${row}<annotation encoding="TeX">${escaped(tex)}</annotation></math>`;
}

/** Old names of environments, and words of the reference's own writers. */
function knownTo(source: string): string {
  // Without columns to align it is a sign.
  const tex = source.includes('\\begin') ? source : source.replace(/(?<!\\)&/g, '\\&');
  // One line is no table.
  const line = /^\s*\\begin\{(eqnarray|align|gather)(\*?)\}([^&]*)\\end\{\1\2\}\s*$/.exec(tex)?.[3];
  return (line !== undefined && !/\\\\|\\begin/.test(line) ? `{${line}}` : tex)
    .replace(/\\(begin|end)\{eqnarray(\*?)\}/g, '\\$1{align$2}')
    .replace(/\\(begin|end)\{(?:displaymath|math|equation\*?|multline\*?|flalign\*?|dmath\*?)\}/g, (_, word: string) =>
      word === 'begin' ? '{' : '}',
    );
}

function depthOf(tex: string): number {
  let depth = 0;
  let deepest = 0;
  for (const sign of tex.matchAll(/[{}]|\\(?:left|right|begin|end|sqrt|frac)\b|[_^]/g)) {
    if (sign[0] === '}' || sign[0] === '\\right' || sign[0] === '\\end') depth -= 1;
    else if (sign[0] === '{' || sign[0] === '\\left' || sign[0] === '\\begin') depth += 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
