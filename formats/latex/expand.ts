import { AppError } from '../../model/errors';
import { readArgument, endsWithLeadingWords, findGroup, findOption, leadingWordsMark } from './source';

interface Macro {
  parameters: number;
  /** Default value of the first parameter, which makes it optional. */
  defaultValue: string | undefined;
  body: string;
}

/** Maximum depth of macros in macros; recursive macros end there. */
const maxDepth = 20;
/** `\newcommand{\name}`, `\renewcommand\name`, `\DeclareMathOperator{\name}` or `\def\name#1#2`. */
const definition =
  /\\(?:(?:re|provide)?newcommand|renewcommand|providecommand|DeclareMathOperator|DeclareRobustCommand)\s*\*?\s*(?:\{\s*\\([A-Za-z@]+)\s*\}|\\([A-Za-z@]+))|\\def\s*\\([A-Za-z@]+)\s*((?:#\d)*)\s*(?=\{)/g;

/**
 * Expands the macros defined in the text and removes the definitions. A macro that ends the leading words of a paragraph leaves
 * a mark. Throws DOCUMENT_TOO_LARGE beyond `maxLength`.
 */
export function expandMacros(text: string, maxLength: number, name: string): string {
  const macros = new Map<string, Macro>();
  const withoutDefinitions = takeDefinitions(text, macros);
  if (macros.size === 0) return withoutDefinitions;
  let remainingLength = maxLength;
  const expand = (part: string, depth: number): string => {
    let expanded = '';
    let at = 0;
    for (const match of part.matchAll(/\\([A-Za-z@]+)/g)) {
      const macro = macros.get(match[1]!);
      if (!macro || match.index < at) continue;
      const before = part.slice(at, match.index);
      expanded += depth === 0 && endsWithLeadingWords(before) ? before + leadingWordsMark : before;
      const { values, end } = readArguments(part, match.index + match[0].length, macro);
      at = end;
      if (depth >= maxDepth) continue;
      const body = macro.body.replace(/#(\d)/g, (_, number: string) => values[Number(number) - 1] ?? '');
      remainingLength -= body.length + 1;
      if (remainingLength < 0) {
        throw new AppError(
          'DOCUMENT_TOO_LARGE',
          `The macros of '${name}' expand to more than ${maxLength} characters.`,
        );
      }
      expanded += expand(body, depth + 1);
    }
    return expanded + part.slice(at);
  };
  return expand(withoutDefinitions, 0);
}

/** Collects the macros that the text defines. Returns the text without the definitions. */
function takeDefinitions(text: string, macros: Map<string, Macro>): string {
  let remaining = '';
  let at = 0;
  for (const match of text.matchAll(definition)) {
    if (match.index < at) continue;
    const name = match[1] ?? match[2] ?? match[3]!;
    let end = match.index + match[0].length;
    let parameters = (match[4] ?? '').length / 2;
    let defaultValue: string | undefined;
    if (match[3] === undefined) {
      const count = findOption(text, end);
      const value = count && findOption(text, count.end);
      parameters = Math.min(Math.max(Number(count?.text ?? 0) || 0, 0), 9);
      defaultValue = value?.text;
      end = (value ?? count)?.end ?? end;
    }
    const body = readArgument(text, end);
    const isOperator = match[0].includes('DeclareMathOperator');
    macros.set(name, { parameters, defaultValue, body: isOperator ? `\\operatorname{${body.text}}` : body.text });
    remaining += text.slice(at, match.index);
    at = body.end;
  }
  return remaining + text.slice(at);
}

function readArguments(text: string, from: number, macro: Macro): { values: string[]; end: number } {
  const values: string[] = [];
  let end = from;
  if (macro.defaultValue !== undefined && macro.parameters > 0) {
    const piece = findOption(text, end);
    values.push(piece?.text ?? macro.defaultValue);
    end = piece?.end ?? end;
  }
  while (values.length < macro.parameters) {
    const value = readArgument(text, end);
    values.push(value.text);
    end = value.end;
  }
  // A control word swallows the blanks after it; an empty group ends it.
  if (macro.parameters === 0) {
    const empty = findGroup(text, end, '{', '}');
    if (empty?.text === '') end = empty.end;
  }
  return { values, end };
}
