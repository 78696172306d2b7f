/** A MathML element, or the text inside one. */
interface Item {
  name: string;
  attributes: string;
  children: Item[];
  text: string;
}

/** A TeX subscript or superscript, in formula order. */
interface Script {
  sign: '_' | '^';
  isBraced: boolean;
}

/**
 * Rewrites the MathML of the typesetter in the form of the reference, which clients compare with: symbols as numeric character
 * references, brackets as siblings of the content they enclose, groups where the TeX has braces, no spacing hints.
 */
export function toReferenceMathml(markup: string, tex: string): string {
  const scripts = listScripts(tex);
  const formed = parse(markup).flatMap(writeForm);
  addGroups(formed, scripts);
  return formed.map(write).join('');
}

function listScripts(tex: string): Script[] {
  const visible = tex.replace(/\\(?:text|label|mbox|tag)\s*\{[^{}]*\}|\\./gs, (matched) => ' '.repeat(matched.length));
  return Array.from(visible.matchAll(/'+|([_^])\s*(\{?)/g), ([, sign, brace]) => ({
    sign: sign === '_' ? '_' : '^',
    isBraced: brace === '{',
  }));
}

function parse(markup: string): Item[] {
  const root: Item = writeItem('');
  const open = [root];
  for (const [, closes, name, attributes = '', isEmpty, text] of markup.matchAll(
    /<(\/?)([a-z]+)((?: [^>]*?)?)(\/?)>|([^<]+)/g,
  )) {
    const parent = open.at(-1)!;
    if (text !== undefined) parent.text += decodeEntities(text);
    else if (closes) {
      if (open.length > 1) open.pop();
    } else {
      const added = { ...writeItem(name!), attributes };
      parent.children.push(added);
      if (!isEmpty) open.push(added);
    }
  }
  return root.children;
}

function writeItem(name: string, children: Item[] = [], text = ''): Item {
  return { name, attributes: '', children, text };
}

function decodeEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

const isOpening = ({ name, attributes }: Item | undefined = writeItem('')) =>
  name === 'mo' && attributes.includes('form="prefix"') && attributes.includes('stretchy="false"');
const isClosing = ({ name, attributes }: Item | undefined = writeItem('')) =>
  name === 'mo' && attributes.includes('form="postfix"') && attributes.includes('stretchy="false"');
const limitOperators = new Set('max min lim sup inf det gcd Pr limsup liminf arg'.split(' '));

/** Converts one item of the typesetter into the items that the reference writes for it. */
function writeForm(input: Item): Item[] {
  const { name, children } = input;
  if (name === 'mspace') return /width="(?!0)/.test(input.attributes) ? [input] : [];
  if (name === 'mo') return writeSigns(input);
  if (name === 'mn') return writeNumbers(input.text);
  if (name === 'mi') return [isSign(input.text) ? { ...input, name: 'mo', attributes: '' } : input];
  const isFenced = name === 'mrow' && isOpening(children[0]) && isClosing(children.at(-1));
  const formed = children.map((child) => writeForm(child));
  if (name === 'mrow' || name === 'mpadded') return writeRow(input, formed.flat(), isFenced);
  if (/^m(?:sub|sup|subsup)$/.test(name)) {
    // A script applies to the closing bracket only.
    const [base = [], ...scripts] = formed;
    const last = base.at(-1);
    return [...base.slice(0, -1), { ...input, children: [last ?? writeItem('mrow'), ...scripts.map(groupItems)] }];
  }
  if (name === 'mfrac' || name === 'mroot')
    return [{ ...input, children: formed.map((inner) => writeItem('mrow', unwrapItems(inner))) }];
  if (name === 'msqrt') return [{ ...input, children: [writeItem('mrow', unwrapItems(formed.flat()))] }];
  if (name === 'mtable' || name === 'mtr' || name === 'mtd' || name === 'mstyle')
    return [{ ...input, children: formed.flat() }];
  return [{ ...input, children: formed.map(groupItems) }];
}

function writeRow(input: Item, inner: Item[], isFenced: boolean): Item[] {
  const [first, second] = inner;
  if (second?.text === '\u2061' && first?.name === 'mi' && inner.length === 2) {
    return [limitOperators.has(first.text) ? { ...first, name: 'mo' } : first];
  }
  if (isFenced) return inner;
  return input.name === 'mpadded' || inner.length === 1 ? inner : [{ ...input, children: inner }];
}

function groupItems(items: Item[]): Item {
  return items.length === 1 ? items[0]! : writeItem('mrow', items);
}

function unwrapItems(items: Item[]): Item[] {
  const [only] = items;
  return items.length === 1 && only!.name === 'mrow' ? only!.children : items;
}

/** Operators have no hints. Brackets state whether they stretch. */
function writeSigns(input: Item): Item[] {
  const { text, attributes } = input;
  if (text === '\u2061') return [input];
  const isBracket = /^[()[\]{}|]$/.test(text);
  const side = /form="(?:pre|post)fix"/.exec(attributes)?.[0];
  if (attributes.includes('stretchy="true"') && side)
    return [{ ...input, attributes: ` stretchy="true" fence="true" ${side}` }];
  const size = /minsize="[^"]*" maxsize="[^"]*"/.exec(attributes)?.[0];
  if (size) return [{ ...input, attributes: ` ${size}` }];
  if (attributes.includes('movablelimits="true"') && /^[a-z]/i.test(text)) return [{ ...input, attributes: '' }];
  return [{ ...input, attributes: isBracket ? ' stretchy="false"' : '' }];
}

/** `0,1` is two numbers; a full stop after a number ends the sentence. */
function writeNumbers(text: string): Item[] {
  return (text.match(/\d+(?:\.\d+)?|[^\d]/g) ?? []).map((part) => writeItem(/\d/.test(part) ? 'mn' : 'mo', [], part));
}

function isSign(text: string): boolean {
  return /^[/.!?*∞∂∇…|\u2200-\u22ff\u2190-\u21ff]$/u.test(text);
}

/** Adds groups to scripts where the TeX has braces: base first, then the scripts in source order. */
function addGroups(items: readonly Item[], scripts: Script[]): void {
  for (const current of items) {
    const { name, children } = current;
    const isScript = /^m(?:sub|sup|subsup|under|over|underover)$/.test(name);
    if (!isScript) {
      addGroups(children, scripts);
      continue;
    }
    addGroups(children.slice(0, 1), scripts);
    const places: [at: number, sign: '_' | '^'][] = [];
    if (name.includes('sub') || name.includes('under')) places.push([1, '_']);
    if (/sup$|over$/.test(name)) places.push([children.length - 1, '^']);
    if (scripts[0]?.sign === '^') places.reverse();
    for (const [at, sign] of places) {
      const inner = children[at];
      if (!inner) continue;
      const script = scripts[0]?.sign === sign ? scripts.shift() : undefined;
      addGroups([inner], scripts);
      if (script?.isBraced && inner.name !== 'mrow') children[at] = writeItem('mrow', [inner]);
    }
  }
}

function write({ name, attributes, children, text }: Item): string {
  const content = name === 'mo' || name === 'mi' ? writeNumbered(text) : escapeTex(text);
  return `<${name}${attributes}>${content}${children.map(write).join('')}</${name}>`;
}

/** Keeps letters, digits and square brackets; writes every other character as a numeric reference. */
function writeNumbered(text: string): string {
  return Array.from(text, (sign) =>
    /[A-Za-z0-9[\]]/.test(sign) ? sign : `&#x${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(5, '0')};`,
  ).join('');
}

function escapeTex(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
