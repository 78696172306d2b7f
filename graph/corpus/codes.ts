import { listWords } from '../resolve/name-words';

const maxCodes = 20;
const maxParts = 8;
// A hyphen of any kind, a slash, a dot, an underscore, a colon or a number sign between letters or digits.
const compound = /[\p{L}\p{N}]+(?:[-\u2010-\u2013/._:#][\p{L}\p{N}]+)*/gu;
const spaced = /(?<![\p{L}\p{N}])\p{Lu}{1,5}[ \u00a0]\p{N}[\p{L}\p{N}]*(?:[-\u2010-\u2013/.]\p{N}+)*/gu;

/**
 * The compound identifiers of a text, as `inv-2024-001` for INV-2024-001, inv/2024/001, INV 2024-001 and INV2024-001: in lower case,
 * with a hyphen between its parts and between letters and digits. Several parts, one of them a number. Joined numbers such as
 * `PO-1/PO-2` count as one and each.
 */
export function listCodes(text: string): string[] {
  const sides = (found: string) => [found, ...(found.includes('/') ? found.split('/') : [])];
  const found = [...(text.match(compound) ?? []), ...(text.match(spaced) ?? [])].flatMap(sides);
  return [...new Set(found.flatMap(toCode))].slice(0, maxCodes);
}

function toCode(text: string): string[] {
  const parts = listWords(text).flatMap((word) => word.match(/\p{L}+|\p{N}+/gu) ?? []);
  const isCode = parts.length > 1 && parts.length <= maxParts && parts.some((part) => /^\p{N}/u.test(part));
  return isCode ? [parts.join('-')] : [];
}
