import type { Entry } from 'ldapts';

/** Escapes a value for use in a distinguished name (RFC 4514): everything that could end or extend it. */
export function escapeDnValue(value: string): string {
  return value.replaceAll(/^ | $|[\\,+"<>;=#]|\p{Cc}/gu, (character) =>
    /\p{Cc}/u.test(character) ? formatHexPairs(character) : `\\${character}`,
  );
}

function formatHexPairs(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');
}

/** True for a name that no directory entry can have: empty, too long, or with control characters. */
export function isImpossibleName(name: string): boolean {
  return name.trim() === '' || name.length > 256 || /\p{Cc}/u.test(name);
}

/** The account name of an Active Directory login, without the domain if the user typed it; undefined when the name is invalid. */
export function findAccountName(name: string, domain: string): string | undefined {
  const suffix = `@${domain}`.toLowerCase();
  const bare = name.toLowerCase().endsWith(suffix) ? name.slice(0, -suffix.length) : name;
  return bare === '' || /[@\\/[\]:;|=,+*?<>"]/.test(bare) ? undefined : bare;
}

/** The value of the first part of a distinguished name: `staff` for `cn=staff,ou=groups`. */
export function findFirstValue(dn: string): string | undefined {
  const value = /^[^=]+=((?:\\.|[^\\,+])*)/s.exec(dn)?.[1];
  if (value === undefined) return undefined;
  // Unescaped blanks around a value are ignored.
  const bytes = value
    .replaceAll(/^ +|(?<!\\) +$/g, '')
    .replaceAll(/((?:\\[0-9a-f]{2})+)/gi, (hex) => Buffer.from(hex.replaceAll('\\', ''), 'hex').toString('utf8'));
  return bytes.replaceAll(/\\(.)/g, '$1');
}

/** The values of an attribute that are texts; names of attributes ignore case. */
export function listTexts(entry: Entry, attribute: string): string[] {
  const name = Object.keys(entry).find((key) => key.toLowerCase() === attribute.toLowerCase());
  const value = name === undefined ? [] : entry[name];
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string' && item !== '') as string[];
}

/**
 * Chooses one of several names, so that a person has a single identity: the one in the entry's DN, else the one that was typed,
 * else the first.
 */
export function findCanonicalName(names: readonly string[], dn: string, value: string): string | undefined {
  const findName = (attributeName: string | undefined) =>
    names.find((name) => name.toLowerCase() === attributeName?.toLowerCase());
  return findName(findFirstValue(dn)) ?? findName(value) ?? names[0];
}
