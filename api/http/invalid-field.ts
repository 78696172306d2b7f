import { AppError } from '../../model/errors';

/** VALIDATION_ERROR for a member of the body; the message is the whole sentence. */
export function createInvalidFieldError(name: string, message: string): AppError {
  return new AppError('VALIDATION_ERROR', message, { target: { type: 'field', name } });
}
