/** The name without what libraries refuse because other systems cannot store it. */
export function toAllowedName(name: string): string {
  const plain = name.replaceAll(/[<>:"|?*/\\]/g, '_').replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
  return (
    plain
      .trim()
      .replace(/^\./, '_')
      .replace(/[.\s]+$/, '') || '_'
  );
}
