import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { AppError } from '../../model/errors';

/** Error codes of the client about the content or signature of a token. All other codes are about a server's response. */
const refusedTokens = new Set([
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_UNSUPPORTED_OPERATION',
]);

/** The error for a provider that cannot be reached. */
export function createUnreachableError(address: string, cause: unknown): AppError {
  return new AppError('CONNECTION_ERROR', `The provider at ${new URL(address).origin} does not answer.`, {}, cause);
}

/**
 * Maps an error of the login to one that callers may see: UNAUTHORIZED when the provider rejected the user or the ID token is
 * invalid, CONNECTION_ERROR when the provider is unreachable, EXTERNAL_SERVICE_ERROR for any other fault of the provider.
 */
export function createProviderError(error: unknown): unknown {
  const ownError = findOwnError(error);
  if (ownError) return ownError;
  if (error instanceof AuthorizationResponseError)
    return new AppError('UNAUTHORIZED', `The provider refused the login: ${toPrintable(error.error)}.`, {}, error);
  if (error instanceof ResponseBodyError) return createTokenEndpointError(error);
  if (error instanceof WWWAuthenticateChallengeError)
    return new AppError('EXTERNAL_SERVICE_ERROR', 'The provider refused its own access token.', {}, error);
  if (!(error instanceof ClientError)) return error;
  if (error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_ABORT')
    return new AppError('CONNECTION_ERROR', 'The provider did not answer in time.', {}, error);
  if (refusedTokens.has(error.code ?? ''))
    return new AppError('UNAUTHORIZED', 'The ID token of the provider is invalid.', {}, error);
  return new AppError('EXTERNAL_SERVICE_ERROR', `The provider sent something unexpected: ${error.message}.`, {}, error);
}

function createTokenEndpointError(error: ResponseBodyError): AppError {
  if (error.error === 'invalid_grant')
    return new AppError('UNAUTHORIZED', 'The provider refused the code of this login.', {}, error);
  const message = `The token endpoint of the provider answered ${toPrintable(error.error)}.`;
  return new AppError('EXTERNAL_SERVICE_ERROR', message, {}, error);
}

/** The client wraps the errors of its `fetch`. */
function findOwnError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  return error instanceof Error && error.cause !== undefined ? findOwnError(error.cause) : undefined;
}

/** OAuth error codes are short words. Anything else in the query is not repeated. */
function toPrintable(code: string): string {
  return /^[a-z_]{1,40}$/.test(code) ? code : 'an unknown error';
}
