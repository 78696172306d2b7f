import { statSync } from 'node:fs';
import path from 'node:path';
import { outputFiles, type OutputFormat, outputFormats } from '../../model/conversion/request/formats';
import { AppError } from '../../model/errors';
import { isSameFile, type ConvertSource, type NamedSource } from './sources';

/** The file that `--output` names. */
export interface OutputFile {
  format: OutputFormat;
  folder: string;
  /** File name without extension. */
  name: string;
}

/**
 * Returns the file that `--output` names; undefined if it names a folder: an existing one, or a path without the extension of an
 * output. Throws VALIDATION_ERROR if the extension contradicts the formats that were requested.
 */
export function findOutputFile(output: string, requested?: readonly OutputFormat[]): OutputFile | undefined {
  if (/[\\/]$/.test(output) || statSync(output, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const base = path.basename(output);
  const fitting = outputFormats
    .filter((format) => base.endsWith(outputFiles[format].extension) && base !== outputFiles[format].extension)
    .toSorted((a, b) => outputFiles[b].extension.length - outputFiles[a].extension.length);
  const format = requested ? fitting.find((name) => name === requested[0]) : fitting[0];
  if (fitting.length === 0) return undefined;
  if (!format || (requested && requested.length > 1)) {
    const formats = requested?.join(', ') ?? '';
    throw new AppError(
      'VALIDATION_ERROR',
      `--output '${output}' is a file of the format ${fitting[0]}, but --to is ${formats}. Name a folder, or leave out --to.`,
    );
  }
  return { format, folder: path.dirname(output), name: base.slice(0, -outputFiles[format].extension.length) };
}

/** The only source, named after the output file. Throws VALIDATION_ERROR for several sources, or if the output would replace the source. */
export function nameAfterOutput(file: OutputFile, output: string, sources: readonly ConvertSource[]): NamedSource[] {
  const [source] = sources;
  if (!source || sources.length > 1)
    throw new AppError(
      'VALIDATION_ERROR',
      `--output '${output}' is a file and takes one document, but there are ${sources.length}. Name a folder.`,
    );
  if (isSameFile(source.path, output))
    throw new AppError('VALIDATION_ERROR', `--output '${output}' would replace the document itself.`);
  return [{ ...source, folder: '', target: file.name }];
}
