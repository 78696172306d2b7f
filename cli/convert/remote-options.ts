import { AppError } from '../../model/errors';
import type { Options } from './options';

/** Throws VALIDATION_ERROR for options that the API of another machine does not know, instead of ignoring them. */
export function refuseLocalOptions(options: Options): void {
  const { password, export: parts, modelUrl, modelName, modelFormat, to = [] } = options;
  const wrong = [
    password === undefined ? '' : '--password',
    parts === undefined ? '' : '--export',
    modelUrl === undefined ? '' : '--model-url',
    modelName === undefined ? '' : '--model-name',
    modelFormat === undefined ? '' : '--model-format',
    to.includes('chunks') ? '--to chunks' : '',
  ].filter(Boolean);
  if (wrong.length > 0)
    throw new AppError(
      'VALIDATION_ERROR',
      `${wrong.join(', ')}: not possible with --server; omit it, or convert on this machine.`,
    );
}
