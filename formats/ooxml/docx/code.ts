import type { DocumentBuilder } from '../../../document/builder';
import type { ContentLayer } from '../../../document/model';
import { listElements, joinText, type XmlElement } from '../../xml/xml';
import type { Outline } from './outline';
import type { ParagraphContent } from './runs';
import type { Styles } from './styles';

/** Collects consecutive paragraphs of source code into one code item. */
export interface CodeBlock {
  /** Collects the paragraph if it is code. False leaves it to the caller. */
  take(styles: Styles, paragraph: XmlElement, content: ParagraphContent): boolean;
  /** Writes the collected lines. */
  end(): void;
}

const monospaced =
  /^(?:consolas|courier|menlo|monaco|lucida (?:console|sans typewriter)|andale mono|source code|fira (?:code|mono)|jetbrains mono|cascadia|dejavu sans mono|liberation mono|ubuntu mono|roboto mono|sf mono|inconsolata|hack$)/i;
// Syntax that typewritten prose does not contain. Brackets, semicolons and asterisks alone are not evidence.
const codeSign = /[{}=<>]|\w\(\s*[)"']|^\s*(?:if|elif|for|while|with|class|def)\b.+:\s*$/m;

/** Creates the code block collector of a story. */
export function createCodeBlock(builder: DocumentBuilder, outline: Outline, layer: ContentLayer): CodeBlock {
  let lines: string[] = [];
  let isStyled = false;
  let blankLines = 0;
  /** Add the collected paragraphs as texts, if they turn out not to be code. */
  let pending: (() => void)[] = [];

  function end(): void {
    if (lines.length === 0) return;
    const text = lines.join('\n');
    const language = detectLanguage(text);
    const isCode = isStyled || language !== 'unknown' || codeSign.test(text);
    const addAsTexts = pending;
    lines = [];
    blankLines = 0;
    pending = [];
    isStyled = false;
    if (!isCode) {
      for (const add of addAsTexts) add();
      return;
    }
    outline.endList();
    const parent = outline.parent();
    builder.code(text, { ...(parent === undefined ? {} : { parent }), layer, language });
  }
  return {
    take(styles, paragraph, content) {
      if (content.pieces.some((piece) => piece.type === 'equation')) return false;
      const styled = styles.isCode(paragraph);
      if (content.text.trim() === '') {
        // A blank line with the code style is part of the block if more code comes after it.
        if (!styled || !isStyled || lines.length === 0) return false;
        blankLines++;
        return true;
      }
      if (!styled && !isMonospaced(styles, paragraph)) return false;
      if (lines.length > 0 && styled !== isStyled) end();
      isStyled = styled;
      for (; blankLines > 0; blankLines--) lines.push('');
      lines.push(content.text.trimEnd());
      pending.push(() => {
        outline.endList();
        const parent = outline.parent();
        for (const piece of content.pieces) {
          if (piece.type !== 'text') continue;
          const { formatting, hyperlink } = piece;
          builder.text('text', piece.text, {
            ...(parent === undefined ? {} : { parent }),
            layer,
            formatting,
            hyperlink,
          });
        }
      });
      return true;
    },
    end,
  };
}

function isMonospaced(styles: Styles, paragraph: XmlElement): boolean {
  const runs = listElements(paragraph, 'w:r').filter((run) =>
    listElements(run, 'w:t').some((text) => joinText(text).trim() !== ''),
  );
  return runs.length > 0 && runs.every((run) => monospaced.test(styles.findFont(run, paragraph) ?? ''));
}

const languageSigns: readonly [RegExp, string][] = [
  [
    /^\s*(?:SELECT\b[\s\S]*\bFROM|INSERT INTO|UPDATE\s+\w+\s+SET|DELETE FROM|CREATE (?:TABLE|VIEW|INDEX)|ALTER TABLE)\b/,
    'SQL',
  ],
  [/^\s*(?:def \w+\(.*\).*:|elif .*:|from \S+ import |async def )/m, 'Python'],
  [/^\s*#include\s*<(?:iostream|vector|string|map|memory|algorithm|utility|functional)>/m, 'C++'],
  [/^\s*#include\s*<\w+\.h>/m, 'C'],
  [/^\s*(?:public (?:static |final )*(?:class|interface|void)|import java\.)|System\.out\.print/m, 'Java'],
  [/^\s*using [\w. ]+;/m, 'C#'],
  [/^\s*package \w+\s*$/m, 'Go'],
  [/^\s*(?:fn \w+\(|let mut |use std::)/m, 'Rust'],
  [/^\s*(?:interface \w+ \{|export (?:type|interface) )/m, 'TypeScript'],
  [/console\.log\(|^\s*module\.exports\b/m, 'JavaScript'],
  [/^\s*<\?php/, 'PHP'],
  [/^\s*<(?:!DOCTYPE html|html)\b/i, 'HTML'],
  [/^\s*<\?xml/, 'XML'],
  [/^\s*FROM \S+[\s\S]*^\s*(?:RUN|CMD|COPY|ENTRYPOINT) /m, 'Dockerfile'],
  [/^\s*#!.*\b(?:ba)?sh\b/, 'Bash'],
];

/** Returns the language by its most characteristic line; `unknown` rather than a guess. */
function detectLanguage(text: string): string {
  return isJson(text) ? 'JSON' : (languageSigns.find(([sign]) => sign.test(text))?.[1] ?? 'unknown');
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
