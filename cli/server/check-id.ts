import { AppError } from '../../model/errors';
import { uuidPattern } from '../../model/uuid';

const uuid = new RegExp(uuidPattern);

/** Throws for what is no id, before a server is asked; `kind` says of what, and where ids are shown. */
export function checkId(id: string, kind: string): void {
  if (!uuid.test(id.toLowerCase())) throw new AppError('VALIDATION_ERROR', `'${id}' is not the id of ${kind}.`);
}
