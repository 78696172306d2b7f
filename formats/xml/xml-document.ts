import { parseFragment } from 'parse5';
import type { ReadOptions } from '../format';
import { decodeText } from '../text/decode';
import { parseXml, type XmlElement } from './xml';
import { omitDoctype } from './xml-head';

/**
 * Parses a published XML document into a tree. Its document type is dropped unread, so that no entities are declared or
 * expanded. The named characters of HTML, which public document types also define, are resolved.
 */
export function parseXmlDocument(
  bytes: Uint8Array,
  { name, limits }: ReadOptions,
  options: { prefixes?: Readonly<Record<string, string>>; skip?: ReadonlySet<string> } = {},
): XmlElement {
  const declared = /^[^]{0,3}<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)/.exec(
    Buffer.from(bytes.subarray(0, 300)).toString('latin1'),
  )?.[1];
  const text = decodeText(bytes, { name, declared }).trimStart();
  return parseXml(resolveNamedCharacters(omitDoctype(text)), {
    source: `'${name}'`,
    maxDepth: limits.maxDepth,
    ...options,
  });
}

/** Names that XML itself defines; the parser resolves them. */
const predefined = new Set(['amp', 'lt', 'gt', 'quot', 'apos']);

/** Resolves named characters such as `&eacute;`. CDATA sections and unknown names are unchanged. */
function resolveNamedCharacters(text: string): string {
  if (!text.includes('&')) return text;
  const characters = new Map<string, string>();
  return text.replace(/<!\[CDATA\[[^]*?\]\]>|&([A-Za-z][\w.-]*);/g, (whole, name: string | undefined) => {
    if (name === undefined || predefined.has(name)) return whole;
    const character = characters.get(name) ?? decodeNamedCharacter(whole);
    characters.set(name, character);
    return character;
  });
}

/** ISO 8879 names of Greek letters in documents older than the HTML names: `&mgr;`, `&OHgr;`. */
const isoGreek =
  'a α b β g γ d δ e ε z ζ ee η th θ i ι k κ l λ m μ n ν x ξ o ο p π r ρ s σ sf ς t τ u υ ph φ kh χ ps ψ oh ω'.split(
    ' ',
  );
const greek = new Map<string, string>();
for (let at = 0; at < isoGreek.length; at += 2) {
  greek.set(`&${isoGreek[at]}gr;`, isoGreek[at + 1]!);
  greek.set(`&${isoGreek[at]!.toUpperCase()}gr;`, isoGreek[at + 1]!.toUpperCase());
}

/** Returns the character as XML: the result may itself be an ampersand or a bracket. */
function decodeNamedCharacter(reference: string): string {
  const letter = greek.get(reference);
  if (letter !== undefined) return letter;
  const [node] = parseFragment(reference).childNodes;
  const text = node && 'value' in node ? node.value : reference;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Collapses XML white space to single blanks; other spaces are kept. */
export function collapseXml(text: string): string {
  return text.replace(/[ \t\n\r]+/g, ' ');
}
