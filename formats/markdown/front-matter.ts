import type { DocumentBuilder } from '../../document/builder';

const searchedCharacters = 65_536;

/** Separates the metadata block between `---` (or `+++`) lines that many tools put at the top. */
export function splitFrontMatter(text: string): { matter: string; body: string } {
  const match = /^(---|\+\+\+)[ \t]*\n([^]*?)\n\1[ \t]*(?:\n|$)/.exec(text.slice(0, searchedCharacters));
  // A rule followed by text is not metadata, which has a key on its first line.
  if (!match || !/^[\w-]+[ \t]*[:=]/m.test(match[2]!) || /^\s*\n/.test(match[2]!)) return { matter: '', body: text };
  return { matter: match[2]!, body: text.slice(match[0].length) };
}

/** Keeps the metadata as furniture. Its title becomes the document title if there is no level-1 heading. */
export function addFrontMatter(builder: DocumentBuilder, matter: string, hasTitle: boolean): void {
  if (matter === '') return;
  const title = /^title[ \t]*[:=][ \t]*(.+)$/m
    .exec(matter)?.[1]
    ?.trim()
    .replace(/^(["'])(.*)\1$/, '$2');
  // `title: |` begins a text of several lines.
  if (title && !hasTitle && !/^[|>]/.test(title)) builder.text('title', title);
  builder.text('text', matter, { layer: 'furniture' });
}
