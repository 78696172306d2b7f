import { AppError } from '../../model/errors';
import { GoogleKey } from '../../model/source/google-bucket';
import { parse } from '../../model/validate';

/** Parses the key file of a service account. Throws OPERATOR_CONFIGURATION_INVALID without quoting it. */
export function readGoogleKey(text: string): GoogleKey {
  try {
    return parse(GoogleKey, JSON.parse(text), 'The service account key', 'OPERATOR_CONFIGURATION_INVALID');
  } catch {
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      'service_account_key is not the JSON of a key file with client_email and private_key.',
    );
  }
}
