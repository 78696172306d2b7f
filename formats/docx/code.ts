import type { DocumentBuilder } from '../../document/builder';
import type { ContentLayer } from '../../document/model';
import { elements, textOf, type XmlElement } from '../xml';
import type { Story } from './blocks';
import type { Outline } from './outline';
import type { ParagraphContent } from './runs';

/** Gathers neighbouring paragraphs of source code into one code item. */
export interface CodeBlock {
  /** Takes the paragraph when it is code; false leaves it to the caller. */
  take(story: Story, paragraph: XmlElement, content: ParagraphContent): boolean;
  /** Writes the gathered lines. */
  end(): void;
}

const monospaced =
  /^(?:consolas|courier|menlo|monaco|lucida (?:console|sans typewriter)|andale mono|source code|fira (?:code|mono)|jetbrains mono|cascadia|dejavu sans mono|liberation mono|ubuntu mono|roboto mono|sf mono|inconsolata|hack$)/i;
// Typewriter prose has none of these.
const codeSign = /[{}()[\];=<>|\\#@$&*_]|:\s*$|\/\/|->/m;

/** One block collector for a story. */
export function createCodeBlock(builder: DocumentBuilder, outline: Outline, layer: ContentLayer): CodeBlock {
  let lines: string[] = [];
  let isStyled = false;
  let pending: (() => void)[] = [];

  function end(): void {
    if (lines.length === 0) return;
    const text = lines.join('\n');
    const isCode = isStyled || codeSign.test(text);
    const replay = pending;
    lines = [];
    pending = [];
    isStyled = false;
    if (!isCode) {
      for (const add of replay) add();
      return;
    }
    outline.endList();
    const parent = outline.parent();
    builder.code(text, { ...(parent === undefined ? {} : { parent }), layer, language: languageOf(text) });
  }
  return {
    take(story, paragraph, content) {
      if (content.text.trim() === '' || content.pieces.some((piece) => piece.type === 'equation')) return false;
      const styled = story.context.styles.isCode(paragraph);
      if (!styled && !isMonospaced(story, paragraph)) return false;
      if (lines.length > 0 && styled !== isStyled) end();
      isStyled = styled;
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

function isMonospaced(story: Story, paragraph: XmlElement): boolean {
  const runs = elements(paragraph, 'w:r').filter((run) =>
    elements(run, 'w:t').some((text) => textOf(text).trim() !== ''),
  );
  return runs.length > 0 && runs.every((run) => monospaced.test(story.context.styles.fontOf(run, paragraph) ?? ''));
}

const signs: readonly [RegExp, string][] = [
  [
    /^\s*(?:SELECT\b[\s\S]*\bFROM|INSERT INTO|UPDATE\s+\w+\s+SET|DELETE FROM|CREATE (?:TABLE|VIEW|INDEX)|ALTER TABLE)\b/i,
    'SQL',
  ],
  [/^\s*(?:def \w+\(.*\).*:|class \w+.*:|from \S+ import |async def )/m, 'Python'],
  [/^\s*(?:#include\s*<|int main\s*\()/m, 'C'],
  [/^\s*(?:public (?:static |final )*(?:class|interface|void)|import java\.)/m, 'Java'],
  [/^\s*(?:package \w+\s*$|func \w*\()/m, 'Go'],
  [/^\s*(?:fn \w+.*\{|let mut |use std::)/m, 'Rust'],
  [/^\s*(?:interface \w+ \{|export (?:type|interface) )/m, 'TypeScript'],
  [/^\s*(?:function \w*\(|(?:const|let|var) \w+ = |module\.exports)|console\.log\(/m, 'JavaScript'],
  [/^\s*<\?php/, 'PHP'],
  [/^\s*<(?:!DOCTYPE html|html)\b/i, 'HTML'],
  [/^\s*<\?xml/, 'XML'],
  [/^\s*#!.*\b(?:ba)?sh\b|^\s*\$ \w+/m, 'Bash'],
  [/^\s*\{\s*"[^"]+"\s*:/, 'JSON'],
];

/** The language by its most telling line; `unknown` rather than a guess. */
function languageOf(text: string): string {
  return signs.find(([sign]) => sign.test(text))?.[1] ?? 'unknown';
}
