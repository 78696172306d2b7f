import { readInline } from './inline';

const knownTheorems = 'theorem lemma corollary proposition definition remark example conjecture'.split(' ');

/** Returns the built-in theorems and those that the document defines with `\newtheorem`. */
export function collectTheorems(source: string): Map<string, string> {
  const theorems = new Map(knownTheorems.map((name) => [name, name.charAt(0).toUpperCase() + name.slice(1)]));
  const defined = /\\newtheorem\*?\s*\{(\w+)\}\s*(?:\[\w*\]\s*)?\{([^{}]{1,100})\}/g;
  for (const [, name, label] of source.matchAll(defined)) theorems.set(name!, readInline(label!).text);
  return theorems;
}

/** The name with one full stop at its end, which titles may have already. */
export function nameTheorem(name: string): string {
  return `${name.replace(/\.$/, '')}.`;
}
