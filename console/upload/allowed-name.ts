/** The name with replacements for what libraries refuse because some systems cannot store it: reserved and control characters, and dots or spaces at the ends. */
export function toAllowedName(name: string): string {
  const plain = name.replaceAll(/[<>:"|?*/\\]/g, '_').replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
  return (
    plain
      .trim()
      .replace(/^\./, '_')
      .replace(/[.\s]+$/, '') || '_'
  );
}
