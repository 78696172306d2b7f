const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** The code without its region: `en` for `en-US`. Undefined for what is no language: metadata of a source may have any text. */
export function readLanguage(language: unknown): string | undefined {
  const [written] = (typeof language === 'string' && /^[a-z]{2,3}(?=$|[-_])/i.exec(language)) || [];
  const code = written?.toLowerCase();
  return findLanguageName(code) === undefined ? undefined : code;
}

/** In English. Undefined for unknown codes, and for `und`, the code of an undetermined language. */
export function findLanguageName(code: string | undefined): string | undefined {
  return code === undefined || code === 'und' ? undefined : languageNames.of(code);
}
