import { findChild, listElements, joinText, type XmlElement } from '../../xml/xml';
import { accents, functions, operators, symbolCommands } from './equation-symbols';

/** Converts an Office Math element (ECMA-376 part 1, 22.1) to LaTeX, without `$` around it. */
export function toLatex(element: XmlElement): string {
  return readChildren(element).replaceAll(/ {2,}/g, ' ').trim();
}

type Write = (element: XmlElement) => string;

function readChildren(element: XmlElement | undefined): string {
  let latex = '';
  for (const node of listElements(element)) latex += convert(node);
  return latex;
}

function convert(element: XmlElement): string {
  const write = writers[element.name];
  if (write !== undefined) return write(element);
  return element.name.endsWith('Pr') ? '' : readChildren(element);
}

const readPart = (element: XmlElement, name: string) => readChildren(findChild(element, name));

/** Returns the value of a property such as `m:chr` in `m:naryPr`. An empty value counts as a value. */
function findProperty(element: XmlElement, properties: string, name: string): string | undefined {
  const property = findChild(findChild(element, properties), name);
  return property === undefined ? undefined : (property.attributes['m:val'] ?? '');
}

function isOn(element: XmlElement, properties: string, name: string): boolean {
  const value = findProperty(element, properties, name);
  return value !== undefined && !['0', 'off', 'false'].includes(value);
}

/** Returns the base of a script, in braces if it is a fraction or root. */
function readBase(element: XmlElement): string {
  const latex = readPart(element, 'm:e').trimEnd();
  return /\\(?:frac|sqrt)/.test(latex) ? `{${latex}}` : latex;
}

const writers: Readonly<Record<string, Write>> = {
  'm:r': (run) => {
    const text = listElements(run, 'm:t').map(joinText).join('');
    return findChild(findChild(run, 'm:rPr'), 'm:nor') === undefined || text.trim() === ''
      ? toMathText(text)
      : `\\text{${text}}`;
  },
  'w:r': (run) =>
    listElements(run, 'w:t')
      .map((text) => toMathText(joinText(text)))
      .join(''),
  'm:f': writeFraction,
  'm:rad': (radical) => {
    const degree = isOn(radical, 'm:radPr', 'm:degHide') ? '' : readPart(radical, 'm:deg').trim();
    return `\\sqrt${degree === '' ? '' : `[${degree}]`}{${readPart(radical, 'm:e')}}`;
  },
  'm:sSup': (script) => `${readBase(script)}^{${readPart(script, 'm:sup')}}`,
  'm:sSub': (script) => `${readBase(script)}_{${readPart(script, 'm:sub')}}`,
  'm:sSubSup': (script) => `${readBase(script)}_{${readPart(script, 'm:sub')}}^{${readPart(script, 'm:sup')}}`,
  'm:sPre': (script) => `{}_{${readPart(script, 'm:sub')}}^{${readPart(script, 'm:sup')}}${readPart(script, 'm:e')}`,
  'm:d': writeDelimiters,
  'm:nary': writeOperator,
  'm:func': writeFunction,
  'm:limLow': (limit) => {
    const name = readPart(limit, 'm:e').trim();
    return `${functions.has(name) ? `\\${name}` : name}_{${readPart(limit, 'm:lim')}}`;
  },
  'm:limUpp': (limit) => `\\overset{${readPart(limit, 'm:lim')}}{${readPart(limit, 'm:e')}}`,
  'm:acc': (accent) => {
    const character = findProperty(accent, 'm:accPr', 'm:chr') ?? '\u0302';
    return `\\${accents[character] ?? 'hat'}{${readPart(accent, 'm:e')}}`;
  },
  'm:bar': (bar) =>
    `\\${findProperty(bar, 'm:barPr', 'm:pos') === 'top' ? 'overline' : 'underline'}{${readPart(bar, 'm:e')}}`,
  'm:groupChr': (group) => {
    const character = findProperty(group, 'm:groupChrPr', 'm:chr') ?? '\u23df';
    return `\\${accents[character] ?? 'underbrace'}{${readPart(group, 'm:e')}}`;
  },
  'm:borderBox': (box) => `\\boxed{${readPart(box, 'm:e')}}`,
  'm:phant': (phantom) =>
    isOn(phantom, 'm:phantPr', 'm:show') ? readPart(phantom, 'm:e') : `\\phantom{${readPart(phantom, 'm:e')}}`,
  'm:m': (matrix) => `\\begin{matrix}${readRows(listElements(matrix, 'm:mr'))}\\end{matrix}`,
  'm:eqArr': (array) => `\\begin{aligned}${listElements(array, 'm:e').map(readChildren).join('\\\\')}\\end{aligned}`,
};

function writeFraction(fraction: XmlElement): string {
  const above = readPart(fraction, 'm:num');
  const below = readPart(fraction, 'm:den');
  switch (findProperty(fraction, 'm:fPr', 'm:type')) {
    case 'lin':
      return `{${above}}/{${below}}`;
    case 'skw':
      return `^{${above}}/_{${below}}`;
    case 'noBar':
      return `\\genfrac{}{}{0pt}{}{${above}}{${below}}`;
    default:
      return `\\frac{${above}}{${below}}`;
  }
}

function readRows(matrixRows: XmlElement[]): string {
  return matrixRows.map((row) => listElements(row, 'm:e').map(readChildren).join('&')).join('\\\\');
}

/** Writes delimiters. LaTeX requires a dot in place of an empty bracket. */
function writeDelimiters(delimiters: XmlElement): string {
  const writeBracket = (name: string, otherwise: string) => {
    const character = findProperty(delimiters, 'm:dPr', name) ?? otherwise;
    return character === '' ? '.' : toMathText(character).trim();
  };
  const separator = findProperty(delimiters, 'm:dPr', 'm:sepChr') ?? '|';
  const inner = listElements(delimiters, 'm:e').map(readChildren).join(toMathText(separator));
  const open = separateCommand(writeBracket('m:begChr', '('));
  const close = separateCommand(writeBracket('m:endChr', ')'));
  return `\\left${open}${inner}\\right${close}`;
}

/** A blank separates a command such as `\\lbrace` from letters after it. */
function separateCommand(bracket: string): string {
  return /^\\[a-z]+$/i.test(bracket) ? `${bracket} ` : bracket;
}

function writeOperator(nary: XmlElement): string {
  const character = findProperty(nary, 'm:naryPr', 'm:chr') ?? '∫';
  const limit = (name: string, mark: string) => {
    const latex = readPart(nary, name);
    return latex.trim() === '' ? '' : `${mark}{${latex}}`;
  };
  const operator = operators[character] ?? toMathText(character).trim();
  const scripts = limit('m:sub', '_') + limit('m:sup', '^');
  const body = readPart(nary, 'm:e');
  return `${operator}${scripts}${scripts === '' || /^[A-Za-z]/.test(body) ? ' ' : ''}${body}`;
}

/** Writes a function call. Known functions become commands; the argument gets parentheses unless it has some. */
function writeFunction(call: XmlElement): string {
  const name = readPart(call, 'm:fName').trim();
  const argument = readPart(call, 'm:e');
  const command = functions.has(name) ? `\\${name}` : name;
  if (!/^\\?[a-z]+$/i.test(command)) return `${command} ${argument}`;
  return /^\s*\\left/.test(argument) ? `${command}${argument}` : `${command}(${argument})`;
}

/** Converts characters to LaTeX. Letters of the mathematical alphabets (from U+1D400) become plain letters. */
function toMathText(text: string): string {
  let latex = '';
  for (const original of text) {
    const codePoint = original.codePointAt(0)!;
    const isMathLetter = codePoint >= 0x1d400 && codePoint <= 0x1d7ff;
    const character = isMathLetter ? original.normalize('NFKC') : original;
    const command = symbolCommands[character];
    if (command !== undefined) latex += ` ${command} `;
    else if ('{}_#&$%'.includes(character)) latex += `\\${character}`;
    else if (character === '\\') latex += ' \\backslash ';
    else latex += character === '\u00a0' || character === '\u2009' ? ' ' : character;
  }
  return latex;
}
