import type { Formatting } from '../../../document/model';
import { runsOn } from '../../../document/run-on';
import { addAll } from '../../../model/lists/add-all';
import { findChild, listElements, joinText, type XmlElement } from '../../xml/xml';
import type { Relationship } from '../package';
import { readToggle } from '../package';
import { toLatex } from './equation';
import { findFieldText } from './field-text';
import type { Styles } from './styles';
import { decodeSymbols } from './symbols';

/** A run of text with one style, or an equation. */
export type Piece =
  | {
      type: 'text';
      text: string;
      formatting: Formatting | null;
      hyperlink: string | null;
      isRunOn?: boolean | undefined;
    }
  | { type: 'equation'; latex: string };

/** The content of a paragraph without its drawings. */
export interface ParagraphContent {
  /** Trimmed runs, merged by style. White space alone is not a piece. */
  pieces: Piece[];
  /** The whole text, untrimmed and without equations. */
  text: string;
  /** The same text with equations in `$`. */
  textWithEquations: string;
}

/** Reads paragraphs of one part in document order. The order matters, because fields may span paragraphs. */
export interface RunReader {
  read(paragraph: XmlElement): ParagraphContent;
  /** Ids of footnotes and endnotes in the order of their marks, collected while paragraphs are read. */
  readonly notes: { kind: 'footnote' | 'endnote'; id: string }[];
}

interface Field {
  instruction: string;
  /** True between `separate` and `end`, where the result is. */
  inResult: boolean;
  hyperlink: string | null;
  /** Text inside the instruction, and the visible text of a form field without a result. */
  text: string;
}

/** `relationships` resolves the links of the part that contains the paragraphs. */
export function createRunReader(styles: Styles, relationships: ReadonlyMap<string, Relationship>): RunReader {
  const fields: Field[] = [];
  const notes: RunReader['notes'] = [];

  function read(paragraph: XmlElement): ParagraphContent {
    const runs: Piece[] = [];
    const isParagraphBold = styles.isBold(paragraph);
    const visit = (parent: XmlElement, link: string | null): void => {
      for (const node of parent.children) {
        if (typeof node === 'string') continue;
        switch (node.name) {
          case 'w:r':
            readRun(node, link);
            break;
          case 'w:hyperlink':
            readLink(node);
            break;
          case 'w:fldSimple':
            visit(node, getHyperlink(node.attributes['w:instr'] ?? '') ?? link);
            break;
          case 'w:ins':
          case 'w:moveTo':
          case 'w:smartTag':
          case 'w:customXml':
          case 'w:dir':
          case 'w:bdo':
            visit(node, link);
            break;
          case 'w:sdt':
            for (const content of listElements(node, 'w:sdtContent')) visit(content, link);
            break;
          case 'mc:AlternateContent':
            visit(findChild(node, 'mc:Choice') ?? findChild(node, 'mc:Fallback') ?? node, link);
            break;
          case 'm:oMath':
            pushEquation(node);
            break;
          case 'm:oMathPara':
            for (const equation of listElements(node, 'm:oMath')) pushEquation(equation);
            break;
          default:
        }
      }
    };
    const pushEquation = (element: XmlElement): void => {
      const latex = toLatex(element);
      if (latex !== '') runs.push({ type: 'equation', latex });
    };
    const readLink = (element: XmlElement): void => {
      const relation = relationships.get(element.attributes['r:id'] ?? '');
      const before = runs.length;
      const target = relation?.isExternal === true && relation.target !== '' ? relation.target : null;
      visit(element, target);
      if (target !== null) joinFrom(runs, before);
    };
    const readRun = (run: XmlElement, link: string | null): void => {
      pushText(readRunText(run), run, link);
    };
    const pushText = (text: string, run: XmlElement | undefined, link: string | null): void => {
      if (text === '') return;
      const hyperlink = link ?? fields.find((field) => field.hyperlink !== null)?.hyperlink ?? null;
      const formatting = buildFormatting(findChild(run, 'w:rPr'), isParagraphBold);
      runs.push({ type: 'text', text, formatting, hyperlink, isRunOn: false });
    };
    visit(paragraph, null);
    // An instruction without a result must not swallow the rest of the document.
    let unfinished = '';
    while (fields[fields.length - 1]?.inResult === false) unfinished = fields.pop()!.text + unfinished;
    pushText(unfinished, undefined, null);
    return mergeRuns(runs);
  }

  function readRunText(run: XmlElement): string {
    let text = '';
    const properties = findChild(run, 'w:rPr');
    for (const node of run.children) {
      if (typeof node === 'string') continue;
      if (node.name === 'w:fldChar') text += handleFieldCharacter(node);
      else if (node.name === 'w:instrText') addToInstruction(joinText(node));
      else if (node.name === 'w:footnoteReference') notes.push({ kind: 'footnote', id: node.attributes['w:id'] ?? '' });
      else if (node.name === 'w:endnoteReference') notes.push({ kind: 'endnote', id: node.attributes['w:id'] ?? '' });
      else if (fields.every((field) => field.inResult)) text += readContentText(node, properties);
      else fields[fields.length - 1]!.text += readContentText(node, properties);
    }
    return text;
  }
  /** Returns the visible text of a field that ends without a result. */
  function handleFieldCharacter(node: XmlElement): string {
    const field = fields[fields.length - 1];
    const type = node.attributes['w:fldCharType'] ?? '';
    if (type === 'begin') fields.push({ instruction: '', inResult: false, hyperlink: null, text: chooseEntry(node) });
    else if (type === 'separate' && field !== undefined) {
      field.inResult = true;
      field.hyperlink = getHyperlink(field.instruction);
    } else if (type === 'end' && fields.pop()?.inResult === false && field !== undefined) {
      const fieldText = field.text.trim() === '' ? findFieldText(field.instruction) : field.text;
      const outer = fields[fields.length - 1];
      if (outer === undefined || outer.inResult) return fieldText;
      outer.text += fieldText;
    }
    return '';
  }
  function addToInstruction(text: string): void {
    const field = fields[fields.length - 1];
    if (field !== undefined && !field.inResult) field.instruction += text;
  }
  return { read, notes };
}

/** Returns the selected entry of a drop-down form field (ECMA-376 part 1, 17.16.9). */
function chooseEntry(begin: XmlElement): string {
  const list = findChild(findChild(begin, 'w:ffData'), 'w:ddList');
  const entries = listElements(list, 'w:listEntry');
  const chosen = findChild(list, 'w:result') ?? findChild(list, 'w:default');
  return entries[Number(chosen?.attributes['w:val'] ?? 0)]?.attributes['w:val'] ?? '';
}

/** Returns the text of one child of a run; empty for what is not text. */
function readContentText(node: XmlElement, properties: XmlElement | undefined): string {
  switch (node.name) {
    case 'w:t':
      return decodeSymbols(joinText(node), findChild(properties, 'w:rFonts')?.attributes['w:ascii']);
    case 'w:tab':
    case 'w:ptab':
      return '\t';
    case 'w:br':
    case 'w:cr':
      return '\n';
    case 'w:noBreakHyphen':
      return '-';
    case 'w:sym':
      return decodeSymbols(
        String.fromCodePoint(Number.parseInt(node.attributes['w:char'] ?? '', 16) || 0x20),
        node.attributes['w:font'],
      );
    case 'w:ruby':
      return listElements(findChild(node, 'w:rubyBase'), 'w:r').map(joinText).join('');
    default:
      return '';
  }
}

/** Returns the URL of a HYPERLINK field; null for links within the document. */
function getHyperlink(instruction: string): string | null {
  const address = /^\s*HYPERLINK\s+(?:"([^"]+)"|([^\s\\"][^\s"]*))/i.exec(instruction);
  return address?.[1] ?? address?.[2] ?? null;
}

const scripts: Readonly<Record<string, Formatting['script']>> = { subscript: 'sub', superscript: 'super' };

/** Returns the direct formatting. Of styles only the paragraph's bold counts, as in the reference. */
function buildFormatting(properties: XmlElement | undefined, isParagraphBold: boolean): Formatting | null {
  const position = findChild(properties, 'w:vertAlign')?.attributes['w:val'];
  const isOn = (name: string) => readToggle(properties, name) ?? false;
  const bold = readToggle(properties, 'w:b') ?? isParagraphBold;
  const italic = isOn('w:i');
  const underline = isOn('w:u');
  const strikethrough = isOn('w:strike') || isOn('w:dstrike');
  const script = scripts[position ?? ''] ?? 'baseline';
  if (!bold && !italic && !underline && !strikethrough && script === 'baseline') return null;
  return { bold, italic, underline, strikethrough, script };
}

function hasSameFormatting(first: Formatting | null, second: Formatting | null): boolean {
  if (first === null || second === null) return first === second;
  return (
    first.bold === second.bold &&
    first.italic === second.italic &&
    first.underline === second.underline &&
    first.strikethrough === second.strikethrough &&
    first.script === second.script
  );
}

/** Merges the runs of a link, from `start` on, into one piece with the style of the first run; not if it contains equations. */
function joinFrom(runs: Piece[], start: number): void {
  const link = runs.splice(start);
  const [head] = link;
  if (head === undefined) return;
  if (link.some((run) => run.type === 'equation') || head.type !== 'text') addAll(runs, link);
  else runs.push({ ...head, text: link.map((run) => (run.type === 'text' ? run.text : '')).join('') });
}

/** Merges neighbouring runs with the same style and link, and trims the pieces, which are changed: copies cost time. */
function mergeRuns(runs: Piece[]): ParagraphContent {
  const pieces: Piece[] = [];
  let text = '';
  let textWithEquations = '';
  /** White space that does not belong to a piece yet; it separates two runs of one link. */
  let between = '';
  for (const run of runs) {
    if (run.type === 'equation') {
      textWithEquations += `$${run.latex}$`;
      pieces.push(run);
      continue;
    }
    text += run.text;
    textWithEquations += run.text;
    const last = pieces[pieces.length - 1];
    const isBlank = run.text.trim() === '';
    const joins =
      last?.type === 'text' &&
      last.hyperlink === run.hyperlink &&
      (isBlank || hasSameFormatting(last.formatting, run.formatting));
    if (joins) last.text += between + run.text;
    else if (!isBlank) {
      run.isRunOn = last?.type === 'text' && between === '' && runsOn(last, run);
      pieces.push(run);
    }
    // White space before the first words, or between a link and the text after it, is not kept.
    between = joins || !isBlank ? '' : between + run.text;
  }
  for (const piece of pieces) if (piece.type === 'text') piece.text = piece.text.trim();
  return { pieces, text, textWithEquations };
}
