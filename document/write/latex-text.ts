import type { Formatting } from '../model';
import { isSafeLink } from './html';
import { toMathml } from './mathml';

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\{',
  '}': '\\}',
  $: '\\$',
  '&': '\\&',
  '#': '\\#',
  '%': '\\%',
  _: '\\_',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
  '"': '\\textquotedbl{}',
  '`': '\\textasciigrave{}',
};

/** Escapes text so that LaTeX prints it character by character. No part of it is run as a command. */
export function escapeLatex(text: string): string {
  return (
    text
      // eslint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '')
      .replace(/[\\{}$&#%_^~<>|"`]/g, (character) => escapes[character]!)
      // Two hyphens would become a dash.
      .replace(/-(?=-)/g, '-{}')
      .replaceAll('\u00a0', '~')
  );
}

/** Escapes text whose line ends are kept as line breaks. */
export function escapeLines(text: string): string {
  // An empty group keeps a bracket at the start of the next line from being an option of the break.
  return text
    .split(/\r\n?|\n/)
    .map((line) => escapeLatex(line).trim())
    .filter((line) => line !== '')
    .join('\\\\{}\n');
}

/** Wraps escaped text in its styles and its link. */
export function styleLatex(
  latex: string,
  formatting: Formatting | null | undefined,
  hyperlink: string | null | undefined,
): string {
  if (latex === '') return '';
  const { bold, italic, underline, strikethrough, script } = formatting ?? {};
  const commands = [
    bold ? 'textbf' : '',
    italic ? 'textit' : '',
    underline ? 'uline' : '',
    strikethrough ? 'sout' : '',
    script === 'super' ? 'textsuperscript' : '',
    script === 'sub' ? 'textsubscript' : '',
  ].filter(Boolean);
  const marked = commands.reduce((inner, command) => `\\${command}{${inner}}`, latex);
  if (!hyperlink || !isSafeLink(hyperlink) || hyperlink.startsWith('#')) return marked;
  return `\\href{${escapeUrl(hyperlink)}}{${marked}}`;
}

function escapeUrl(url: string): string {
  return url.replace(/[\\{}^`"<>|~\s]/g, (character) => encodeURIComponent(character)).replace(/[%#&_$]/g, '\\$&');
}

/** Commands that define others or build names, which a list of known commands cannot check. */
const defining =
  /\\(?:[gex]?def|let|futurelet|(?:re)?newcommand|providecommand|global|long|csname|catcode|char|htmlmode|include\w*|href|url)(?![A-Za-z])|\^\^|(?<!\\)%/;

/**
 * Returns the formula as TeX in math mode, or as escaped text if it is not a formula that can be typeset safely: TeX from a
 * document could otherwise read and write files of the user who runs it.
 */
export function writeFormulaLatex(tex: string, display: 'block' | 'inline'): string {
  const formula = tex.replace(/\n\s*\n/g, '\n').trim();
  const isSafe =
    !defining.test(formula) && !/\\[\])]|(?<!\\)\$/.test(formula) && toMathml(formula, display) !== undefined;
  if (!isSafe) return `\\texttt{${escapeLines(tex)}}`;
  // Environments that are displays themselves cannot be nested in another.
  if (/^\\begin\{(?:align|gather|equation|eqnarray|multline|flalign)\*?\}/.test(formula)) return formula;
  return display === 'block' ? `\\[ ${formula} \\]` : `$${formula}$`;
}

/** Returns a listing. Text that would end the environment is escaped line by line instead. */
export function writeCodeLatex(text: string, isInline: boolean): string {
  if (isInline || /\\end\s*\{/.test(text)) return `\\texttt{${escapeLines(text)}}`;
  return `\\begin{verbatim}\n${text.replace(/\r\n?/g, '\n')}\n\\end{verbatim}`;
}
