import { showCellText } from '../grid';
import { listMetaFields } from '../meta';
import type { DoclingDocument, GroupItem, NodeItem, PictureItem, Ref, TableCell, TableItem, TextItem } from '../model';
import {
  listCellRefs,
  childrenOf,
  findInlineContent,
  isGraph,
  isGroup,
  isPicture,
  isTable,
  isText,
  nodeAt,
  listOwnedRefs,
} from '../tree';
import { writeTabular } from './latex-table';
import { writeCodeLatex, escapeLatex, escapeLines, writeFormulaLatex, styleLatex } from './latex-text';
import { isAttached } from './raised-text';

/** How a document is written as LaTeX. */
export interface LatexOptions {
  /** `referenced` includes pictures that are files. In all other modes only captions are written. */
  imageMode?: 'placeholder' | 'embedded' | 'referenced';
}

interface Writing {
  document: DoclingDocument;
  options: LatexOptions;
  owned: Set<string>;
  visited: Set<string>;
}

const preamble = String.raw`\documentclass{article}
\usepackage{iftex}
\ifPDFTeX\usepackage[T1]{fontenc}\usepackage{textcomp}\else\usepackage{fontspec}\fi
\usepackage{amsmath,amssymb}
\usepackage{graphicx}
\usepackage{longtable,multirow}
\usepackage{enumitem}
\setlistdepth{20}
\renewlist{itemize}{itemize}{20}
\setlist[itemize]{label=\textbullet}
\usepackage[normalem]{ulem}
\usepackage[hidelinks]{hyperref}
\setcounter{secnumdepth}{0}`;
/** Headings from level 1; deeper ones are bold lines. */
const sections = ['section', 'subsection', 'subsubsection', 'paragraph', 'subparagraph'];

/**
 * Writes the body as a complete LaTeX document for pdfLaTeX, XeLaTeX and LuaLaTeX. All text is escaped; formulas that cannot be
 * typeset are written as text, since TeX can read and write files.
 */
export function toLatex(document: DoclingDocument, options: LatexOptions = {}): string {
  const writing: Writing = { document, options, owned: listOwnedRefs(document), visited: new Set() };
  const blocks = [...writeChildBlocks(writing, document.body), ...writeMeta(document.body)];
  return `${preamble}\n\\begin{document}\n\n${blocks.join('\n\n')}\n\n\\end{document}\n`;
}

function writeChildBlocks(writing: Writing, parent: NodeItem): string[] {
  return childrenOf(writing.document, parent).flatMap((child) => {
    if (writing.visited.has(child.self_ref) || writing.owned.has(child.self_ref)) return [];
    writing.visited.add(child.self_ref);
    return writeNodeBlocks(writing, child).filter((block) => block !== '');
  });
}

/** Writes the block of a node, followed by those of its children. */
function writeNodeBlocks(writing: Writing, node: NodeItem): string[] {
  const isIncluded = node.content_layer === 'body';
  if (isGroup(node))
    return isIncluded ? [...writeGroup(writing, node), ...writeMeta(node)] : writeChildBlocks(writing, node);
  if (isPicture(node)) return isIncluded ? [writePicture(writing, node), ...writeFootnotes(writing, node)] : [];
  // The content of cells is written there.
  for (const ref of isTable(node) ? listCellRefs(node) : []) writing.visited.add(ref);
  if (!isIncluded) return writeChildBlocks(writing, node);
  if (isTable(node))
    return [
      writeTable(writing, node),
      ...writeMeta(node),
      ...writeFootnotes(writing, node),
      ...writeChildBlocks(writing, node),
    ];
  if (isGraph(node)) {
    const pairs = node.graph.cells.map(({ text }) => escapeLines(text)).filter(Boolean);
    return [
      ...pairs,
      ...writeCaptions(writing, node),
      ...writeFootnotes(writing, node),
      ...writeChildBlocks(writing, node),
    ];
  }
  if (!isText(node)) return writeChildBlocks(writing, node);
  if (node.label === 'list_item') return writeList(writing, [node]);
  const block = writeTextBlock(writing, node);
  return [
    block,
    ...writeCaptions(writing, node),
    ...writeMeta(node),
    ...writeFootnotes(writing, node),
    ...writeChildBlocks(writing, node),
  ];
}

function writeGroup(writing: Writing, node: GroupItem): string[] {
  if (node.label === 'inline') return [writeInline(writing, node)];
  if (node.label !== 'list' && node.label !== 'ordered_list') return writeChildBlocks(writing, node);
  const items = childrenOf(writing.document, node).filter(
    ({ self_ref: ref }) => !writing.visited.has(ref) && !writing.owned.has(ref),
  );
  for (const { self_ref: ref } of items) writing.visited.add(ref);
  return writeList(writing, items);
}

/** LaTeX numbers lists itself, so the markers of the document are given as labels. */
function writeList(writing: Writing, items: readonly NodeItem[]): string[] {
  const lines = items.flatMap((item) => {
    if (!isText(item) || item.label !== 'list_item') {
      const inside = writeNodeBlocks(writing, item).filter(Boolean).join('\n\n');
      return inside === '' ? [] : [`\\item[] ${inside}`];
    }
    if (item.content_layer !== 'body') return writeChildBlocks(writing, item).map((block) => `\\item[] ${block}`);
    const parts = [writeContent(writing, item), ...writeMeta(item), ...writeChildBlocks(writing, item)].filter(Boolean);
    const label = item.enumerated && item.marker ? `[{${escapeLatex(item.marker)}}]` : '{}';
    return parts.length === 0 ? [] : [`\\item${label} ${parts.join('\n\n')}`];
  });
  return lines.length === 0 ? [] : [`\\begin{itemize}\n${lines.join('\n')}\n\\end{itemize}`];
}

/** The runs of a paragraph with several styles, on one line. */
function writeInline(writing: Writing, node: GroupItem): string {
  let [latex, before]: [string, NodeItem | undefined] = ['', undefined];
  for (const child of childrenOf(writing.document, node)) {
    const run = writeInlineBlocks(writing, child).filter(Boolean).join(' ');
    if (run === '') continue;
    latex += latex === '' || isAttached(writing.document, [before, child]) ? run : ` ${run}`;
    before = child;
  }
  return latex;
}

function writeInlineBlocks(writing: Writing, child: NodeItem): string[] {
  if (writing.visited.has(child.self_ref)) return [];
  writing.visited.add(child.self_ref);
  if (!isText(child) || child.content_layer !== 'body') return writeNodeBlocks(writing, child);
  const run =
    child.label === 'formula' && child.text !== ''
      ? writeFormulaLatex(child.text, 'inline')
      : child.label === 'code'
        ? writeCodeLatex(child.text, true)
        : escapeLines(child.text);
  return [styleLatex(run, child.formatting, child.hyperlink), ...writeChildBlocks(writing, child)];
}

/** Returns the LaTeX of an item's own text, or of its inline group. */
function writeContent(writing: Writing, item: TextItem): string {
  const runs = findInlineContent(writing.document, item);
  if (!runs) return styleLatex(escapeLines(item.text), item.formatting, item.hyperlink);
  writing.visited.add(runs.self_ref);
  return writeInline(writing, runs);
}

function writeTextBlock(writing: Writing, item: TextItem): string {
  if (item.label === 'code') return writeCodeLatex(item.text, false);
  if (item.label === 'formula') return item.text === '' ? '' : writeFormulaLatex(item.text, 'block');
  const text = writeContent(writing, item);
  if (text === '') return '';
  if (item.label === 'title') return `\\begin{center}\n{\\LARGE ${toOneLine(text)}\\par}\n\\end{center}`;
  if (item.label === 'section_header') {
    const command = sections[(item.level ?? 1) - 1];
    return command ? `\\${command}{${toOneLine(text)}}` : `\\textbf{${toOneLine(text)}}`;
  }
  if (item.label === 'checkbox_selected') return `$\\boxtimes$ ${text}`;
  if (item.label === 'checkbox_unselected') return `$\\square$ ${text}`;
  // A bracket at the start of a paragraph could be read as an option of a preceding command.
  return text.startsWith('[') ? `{}${text}` : text;
}

/** Line breaks do not work in headings. */
function toOneLine(latex: string): string {
  return latex.replaceAll('\\\\{}\n', ' ');
}

function writeCaptions(writing: Writing, item: { captions?: Ref[] }): string[] {
  return (item.captions ?? []).flatMap(({ $ref }) => {
    const caption = nodeAt(writing.document, $ref);
    if (!caption || !isText(caption) || writing.visited.has($ref)) return [];
    writing.visited.add($ref);
    return writeContent(writing, caption) || [];
  });
}

function writeFootnotes(writing: Writing, item: { footnotes?: Ref[] }): string[] {
  return writeCaptions(writing, { captions: item.footnotes ?? [] }).map((text) => `{\\footnotesize ${text}\\par}`);
}

/** Captions keep the numbers of the document, so they are not numbered again. */
function writeCaptionLines(writing: Writing, item: { captions?: Ref[] }): string {
  return writeCaptions(writing, item)
    .map((text) => `${text}\\par\n`)
    .join('');
}

function writeTable(writing: Writing, item: TableItem): string {
  const caption = writeCaptionLines(writing, item);
  const rows = writeTabular(item.data, (cell) => writeCellLatex(writing, cell, item));
  if (rows === '' && caption === '') return '';
  return `\\begin{center}\n${caption}${rows}\n\\end{center}`;
}

/** Cells hold one line; blocks of rich cells are joined. */
function writeCellLatex(writing: Writing, cell: TableCell, owner: TableItem | undefined): string {
  const rich = cell.ref ? nodeAt(writing.document, cell.ref.$ref) : undefined;
  const isOwn = owner !== undefined && rich?.parent?.$ref === owner.self_ref;
  const blocks = rich && isOwn ? writeNodeBlocks(writing, rich).filter(Boolean) : [];
  const isLine = blocks.length > 0 && blocks.every((block) => !block.includes('\\begin{'));
  const text = isLine ? toOneLine(blocks.join(' ')) : escapeLatex(showCellText(cell).replace(/\s+/g, ' ').trim());
  return cell.column_header && text !== '' ? `\\textbf{${text}}` : text;
}

function writePicture(writing: Writing, item: PictureItem): string {
  const uri = item.image?.uri ?? '';
  // Only files next to the output; their names must not contain characters with a meaning in TeX.
  const isFile = writing.options.imageMode === 'referenced' && /^(?!.*\.\.)[\w][\w./-]*\.(?:png|jpe?g)$/i.test(uri);
  const image = isFile
    ? `\\includegraphics[width=\\linewidth,height=0.8\\textheight,keepaspectratio]{${uri}}\\par\n`
    : '';
  const inside = [image + writeCaptionLines(writing, item), ...writeMeta(item)].filter(Boolean).join('\n');
  return inside === '' ? '' : `\\begin{center}\n${inside.trimEnd()}\n\\end{center}`;
}

/** Description, class and the data of charts. */
function writeMeta(node: NodeItem): string[] {
  return listMetaFields(node).map(({ text, table: chart, code }) => {
    if (code !== undefined) return writeCodeLatex(code, false);
    if (chart) return writeTabular(chart, ({ text: cell }) => escapeLatex(cell.replace(/\s+/g, ' ').trim()));
    return escapeLines(text ?? '');
  });
}
