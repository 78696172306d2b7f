import path from 'node:path';
import type { FilesystemSettings } from '../../model/source/filesystem-source';
import { globMatcher } from './glob';

/** Decides by the path relative to the source, with `/` between segments. */
export interface FileFilter {
  takesFile(relative: string): boolean;
  /** False when the folder's own name or path is excluded, so that nothing below it is looked at. */
  entersFolder(relative: string): boolean;
}

/** `pdf` and `.pdf` are extensions in any letter case; a glob without `/` speaks of names at any depth, else of paths. */
export function createFileFilter({ include, exclude }: Pick<FilesystemSettings, 'include' | 'exclude'>): FileFilter {
  const included = include.map(matcher);
  const excluded = exclude.map(matcher);
  const folders = exclude.filter((pattern) => !isExtension(pattern)).map(matcher);
  return {
    takesFile: (relative) =>
      (included.length === 0 || included.some((matches) => matches(relative))) &&
      !excluded.some((matches) => matches(relative)),
    entersFolder: (relative) => !folders.some((matches) => matches(relative)),
  };
}

function matcher(pattern: string): (relative: string) => boolean {
  if (isExtension(pattern)) {
    const extension = `.${pattern.replace(/^\./, '').toLowerCase()}`;
    return (relative) => path.posix.extname(relative).toLowerCase() === extension;
  }
  return globMatcher(pattern.replace(/\/$/, ''));
}

function isExtension(pattern: string): boolean {
  return /^\.?[A-Za-z0-9]+$/.test(pattern);
}
