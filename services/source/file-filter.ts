import path from 'node:path';
import type { FilesystemSettings } from '../../model/source/filesystem-source';
import { createGlobMatcher } from './glob';

/** Filters by the path relative to the source, with `/` between segments. */
export interface FileFilter {
  takesFile(relative: string): boolean;
  /** False if the folder's name or path is excluded, so that the listing skips everything below it. */
  entersFolder(relative: string): boolean;
}

/**
 * `pdf` and `.pdf` match extensions, case-insensitive. A glob without `/` matches names at any depth, other globs match paths.
 */
export function createFileFilter({ include, exclude }: Pick<FilesystemSettings, 'include' | 'exclude'>): FileFilter {
  const included = include.map(createMatcher);
  const excluded = exclude.map(createMatcher);
  const folders = exclude.filter((pattern) => !isExtension(pattern)).map(createMatcher);
  return {
    takesFile: (relative) =>
      (included.length === 0 || included.some((matches) => matches(relative))) &&
      !excluded.some((matches) => matches(relative)),
    entersFolder: (relative) => !folders.some((matches) => matches(relative)),
  };
}

function createMatcher(pattern: string): (relative: string) => boolean {
  if (isExtension(pattern)) {
    const extension = `.${pattern.replace(/^\./, '').toLowerCase()}`;
    return (relative) => path.posix.extname(relative).toLowerCase() === extension;
  }
  return createGlobMatcher(pattern.replace(/\/$/, ''));
}

function isExtension(pattern: string): boolean {
  return /^\.?[A-Za-z0-9]+$/.test(pattern);
}
