import { toReferenceMathml } from './mathml-form';

/** Loaded with the first formula: few documents have one, and it takes 7 MB and a tenth of the start of a command. */
const loadTypesetter = (): typeof import('temml') => require('temml');

/** Longer formulas stay TeX: they would be unreadable and take long to typeset. */
const maxLength = 20_000;
/** Deeper groups are not formulas; the typesetter would run out of stack. */
const maxDepth = 100;

/**
 * Converts TeX to MathML with the TeX as an annotation; undefined if the TeX cannot be typeset. Commands that name URLs, files,
 * styles or scripts are not executed.
 */
export function toMathml(tex: string, display: 'block' | 'inline'): string | undefined {
  if (tex.length > maxLength || computeDepth(tex) > maxDepth) return undefined;
  let markup: string;
  try {
    markup = loadTypesetter().renderToString(replaceOldCommands(tex), {
      displayMode: display === 'block',
      annotate: false,
      xml: true,
      throwOnError: true,
      trust: false,
      maxExpand: 1_000,
      maxSize: [100, 100],
    });
  } catch {
    // The caller shows the TeX instead.
    return undefined;
  }
  const inside = /^<math[^>]*>(.*)<\/math>$/s.exec(markup)?.[1];
  if (inside === undefined) return undefined;
  const plain = inside.replace(/ (?:class|style)="[^"]*"/g, '');
  const formed = toReferenceMathml(/^<mrow>.*<\/mrow>$/s.test(plain) ? plain : `<mrow>${plain}</mrow>`, tex);
  const row = formed.startsWith('<mrow>') && formed.endsWith('</mrow>') ? formed : `<mrow>${formed}</mrow>`;
  return `<math xmlns="http://www.w3.org/1998/Math/MathML" display="${display}">${row}<annotation encoding="TeX">${escapeXml(tex)}</annotation></math>`;
}

/** Replaces old environment names and commands that the writers of the reference use. */
function replaceOldCommands(source: string): string {
  // Without columns to align, `&` is a literal character.
  const tex = source.includes('\\begin') ? source : source.replace(/(?<!\\)&/g, '\\&');
  // A single line is not a table.
  const line = /^\s*\\begin\{(eqnarray|align|gather)(\*?)\}([^&]*)\\end\{\1\2\}\s*$/.exec(tex)?.[3];
  return (line !== undefined && !/\\\\|\\begin/.test(line) ? `{${line}}` : tex)
    .replace(/\\(begin|end)\{eqnarray(\*?)\}/g, '\\$1{align$2}')
    .replace(/\\(begin|end)\{(?:displaymath|math|equation\*?|multline\*?|flalign\*?|dmath\*?)\}/g, (_, word: string) =>
      word === 'begin' ? '{' : '}',
    );
}

function computeDepth(tex: string): number {
  let depth = 0;
  let deepest = 0;
  for (const token of tex.matchAll(/[{}]|\\(?:left|right|begin|end|sqrt|frac)\b|[_^]/g)) {
    if (token[0] === '}' || token[0] === '\\right' || token[0] === '\\end') depth -= 1;
    else if (token[0] === '{' || token[0] === '\\left' || token[0] === '\\begin') depth += 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
