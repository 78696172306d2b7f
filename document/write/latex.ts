import { metaFields } from '../meta';
import type { DoclingDocument, GroupItem, NodeItem, PictureItem, Ref, TableCell, TableItem, TextItem } from '../model';
import {
  cellRefs,
  childrenOf,
  inlineContent,
  isGraph,
  isGroup,
  isPicture,
  isTable,
  isText,
  nodeAt,
  ownedRefs,
} from '../tree';
import { tabular } from './latex-table';
import { codeLatex, escapeLatex, escapeLines, formulaLatex, styledLatex } from './latex-text';
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
  const writing: Writing = { document, options, owned: ownedRefs(document), visited: new Set() };
  const blocks = [...childBlocks(writing, document.body), ...meta(document.body)];
  return `${preamble}\n\\begin{document}\n\n${blocks.join('\n\n')}\n\n\\end{document}\n`;
}

function childBlocks(writing: Writing, parent: NodeItem): string[] {
  return childrenOf(writing.document, parent).flatMap((child) => {
    if (writing.visited.has(child.self_ref) || writing.owned.has(child.self_ref)) return [];
    writing.visited.add(child.self_ref);
    return nodeBlocks(writing, child).filter((block) => block !== '');
  });
}

/** Writes the block of a node, followed by those of its children. */
function nodeBlocks(writing: Writing, node: NodeItem): string[] {
  const isIncluded = node.content_layer === 'body';
  if (isGroup(node)) return isIncluded ? [...group(writing, node), ...meta(node)] : childBlocks(writing, node);
  if (isPicture(node)) return isIncluded ? [picture(writing, node), ...footnotes(writing, node)] : [];
  // The content of cells is written there.
  for (const ref of isTable(node) ? cellRefs(node) : []) writing.visited.add(ref);
  if (!isIncluded) return childBlocks(writing, node);
  if (isTable(node))
    return [table(writing, node), ...meta(node), ...footnotes(writing, node), ...childBlocks(writing, node)];
  if (isGraph(node)) {
    const pairs = node.graph.cells.map(({ text }) => escapeLines(text)).filter(Boolean);
    return [...pairs, ...captions(writing, node), ...footnotes(writing, node), ...childBlocks(writing, node)];
  }
  if (!isText(node)) return childBlocks(writing, node);
  if (node.label === 'list_item') return list(writing, [node]);
  const block = textBlock(writing, node);
  return [block, ...captions(writing, node), ...meta(node), ...footnotes(writing, node), ...childBlocks(writing, node)];
}

function group(writing: Writing, node: GroupItem): string[] {
  if (node.label === 'inline') return [inline(writing, node)];
  if (node.label !== 'list' && node.label !== 'ordered_list') return childBlocks(writing, node);
  const items = childrenOf(writing.document, node).filter(
    ({ self_ref: ref }) => !writing.visited.has(ref) && !writing.owned.has(ref),
  );
  for (const { self_ref: ref } of items) writing.visited.add(ref);
  return list(writing, items);
}

/** LaTeX numbers lists itself, so the markers of the document are given as labels. */
function list(writing: Writing, items: readonly NodeItem[]): string[] {
  const lines = items.flatMap((item) => {
    if (!isText(item) || item.label !== 'list_item') {
      const inside = nodeBlocks(writing, item).filter(Boolean).join('\n\n');
      return inside === '' ? [] : [`\\item[] ${inside}`];
    }
    if (item.content_layer !== 'body') return childBlocks(writing, item).map((block) => `\\item[] ${block}`);
    const parts = [content(writing, item), ...meta(item), ...childBlocks(writing, item)].filter(Boolean);
    const label = item.enumerated && item.marker ? `[{${escapeLatex(item.marker)}}]` : '{}';
    return parts.length === 0 ? [] : [`\\item${label} ${parts.join('\n\n')}`];
  });
  return lines.length === 0 ? [] : [`\\begin{itemize}\n${lines.join('\n')}\n\\end{itemize}`];
}

/** The runs of a paragraph with several styles, on one line. */
function inline(writing: Writing, node: GroupItem): string {
  let [latex, before]: [string, NodeItem | undefined] = ['', undefined];
  for (const child of childrenOf(writing.document, node)) {
    const run = inlineBlocks(writing, child).filter(Boolean).join(' ');
    if (run === '') continue;
    latex += latex === '' || isAttached(writing.document, [before, child]) ? run : ` ${run}`;
    before = child;
  }
  return latex;
}

function inlineBlocks(writing: Writing, child: NodeItem): string[] {
  if (writing.visited.has(child.self_ref)) return [];
  writing.visited.add(child.self_ref);
  if (!isText(child) || child.content_layer !== 'body') return nodeBlocks(writing, child);
  const run =
    child.label === 'formula' && child.text !== ''
      ? formulaLatex(child.text, 'inline')
      : child.label === 'code'
        ? codeLatex(child.text, true)
        : escapeLines(child.text);
  return [styledLatex(run, child.formatting, child.hyperlink), ...childBlocks(writing, child)];
}

/** Returns the LaTeX of an item's own text, or of its inline group. */
function content(writing: Writing, item: TextItem): string {
  const runs = inlineContent(writing.document, item);
  if (!runs) return styledLatex(escapeLines(item.text), item.formatting, item.hyperlink);
  writing.visited.add(runs.self_ref);
  return inline(writing, runs);
}

function textBlock(writing: Writing, item: TextItem): string {
  if (item.label === 'code') return codeLatex(item.text, false);
  if (item.label === 'formula') return item.text === '' ? '' : formulaLatex(item.text, 'block');
  const text = content(writing, item);
  if (text === '') return '';
  if (item.label === 'title') return `\\begin{center}\n{\\LARGE ${oneLine(text)}\\par}\n\\end{center}`;
  if (item.label === 'section_header') {
    const command = sections[(item.level ?? 1) - 1];
    return command ? `\\${command}{${oneLine(text)}}` : `\\textbf{${oneLine(text)}}`;
  }
  if (item.label === 'checkbox_selected') return `$\\boxtimes$ ${text}`;
  if (item.label === 'checkbox_unselected') return `$\\square$ ${text}`;
  // A bracket at the start of a paragraph could be read as an option of a preceding command.
  return text.startsWith('[') ? `{}${text}` : text;
}

/** Line breaks do not work in headings. */
function oneLine(latex: string): string {
  return latex.replaceAll('\\\\{}\n', ' ');
}

function captions(writing: Writing, item: { captions?: Ref[] }): string[] {
  return (item.captions ?? []).flatMap(({ $ref }) => {
    const caption = nodeAt(writing.document, $ref);
    if (!caption || !isText(caption) || writing.visited.has($ref)) return [];
    writing.visited.add($ref);
    return content(writing, caption) || [];
  });
}

function footnotes(writing: Writing, item: { footnotes?: Ref[] }): string[] {
  return captions(writing, { captions: item.footnotes ?? [] }).map((text) => `{\\footnotesize ${text}\\par}`);
}

/** Captions keep the numbers of the document, so they are not numbered again. */
function captionLines(writing: Writing, item: { captions?: Ref[] }): string {
  return captions(writing, item)
    .map((text) => `${text}\\par\n`)
    .join('');
}

function table(writing: Writing, item: TableItem): string {
  const caption = captionLines(writing, item);
  const rows = tabular(item.data, (cell) => cellLatex(writing, cell, item));
  if (rows === '' && caption === '') return '';
  return `\\begin{center}\n${caption}${rows}\n\\end{center}`;
}

/** Cells hold one line; blocks of rich cells are joined. */
function cellLatex(writing: Writing, cell: TableCell, owner: TableItem | undefined): string {
  const rich = cell.ref ? nodeAt(writing.document, cell.ref.$ref) : undefined;
  const isOwn = owner !== undefined && rich?.parent?.$ref === owner.self_ref;
  const blocks = rich && isOwn ? nodeBlocks(writing, rich).filter(Boolean) : [];
  const isLine = blocks.length > 0 && blocks.every((block) => !block.includes('\\begin{'));
  const text = isLine ? oneLine(blocks.join(' ')) : escapeLatex(cell.text.replace(/\s+/g, ' ').trim());
  return cell.column_header && text !== '' ? `\\textbf{${text}}` : text;
}

function picture(writing: Writing, item: PictureItem): string {
  const uri = item.image?.uri ?? '';
  // Only files next to the output; their names must not contain characters with a meaning in TeX.
  const isFile = writing.options.imageMode === 'referenced' && /^(?!.*\.\.)[\w][\w./-]*\.(?:png|jpe?g)$/i.test(uri);
  const image = isFile
    ? `\\includegraphics[width=\\linewidth,height=0.8\\textheight,keepaspectratio]{${uri}}\\par\n`
    : '';
  const inside = [image + captionLines(writing, item), ...meta(item)].filter(Boolean).join('\n');
  return inside === '' ? '' : `\\begin{center}\n${inside.trimEnd()}\n\\end{center}`;
}

/** Description, class and the data of charts. */
function meta(node: NodeItem): string[] {
  return metaFields(node).map(({ text, table: chart, code }) => {
    if (code !== undefined) return codeLatex(code, false);
    if (chart) return tabular(chart, ({ text: cell }) => escapeLatex(cell.replace(/\s+/g, ' ').trim()));
    return escapeLines(text ?? '');
  });
}
