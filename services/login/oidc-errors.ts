import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { AppError } from '../../model/errors';

/** Codes of the client that speak of what a token says or who signed it; all others of what a server sent. */
const refusedTokens = new Set([
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_UNSUPPORTED_OPERATION',
]);

/** The provider's server did not answer. */
export function unreachable(address: string, cause: unknown): AppError {
  return new AppError('CONNECTION_ERROR', `The provider at ${new URL(address).origin} does not answer.`, {}, cause);
}

/**
 * What went wrong at the provider, as callers may know it: UNAUTHORIZED when it refused the user or its ID token does
 * not hold, CONNECTION_ERROR when it is away, EXTERNAL_SERVICE_ERROR for everything else that it does.
 */
export function providerError(error: unknown): unknown {
  const known = ownError(error);
  if (known) return known;
  if (error instanceof AuthorizationResponseError)
    return new AppError('UNAUTHORIZED', `The provider refused the login: ${printable(error.error)}.`, {}, error);
  if (error instanceof ResponseBodyError) return tokenEndpointError(error);
  if (error instanceof WWWAuthenticateChallengeError)
    return new AppError('EXTERNAL_SERVICE_ERROR', 'The provider refused its own access token.', {}, error);
  if (!(error instanceof ClientError)) return error;
  if (error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_ABORT')
    return new AppError('CONNECTION_ERROR', 'The provider did not answer in time.', {}, error);
  if (refusedTokens.has(error.code ?? ''))
    return new AppError('UNAUTHORIZED', 'The ID token of the provider is refused.', {}, error);
  return new AppError('EXTERNAL_SERVICE_ERROR', `The provider sent something unexpected: ${error.message}.`, {}, error);
}

function tokenEndpointError(error: ResponseBodyError): AppError {
  if (error.error === 'invalid_grant')
    return new AppError('UNAUTHORIZED', 'The provider refused the code of this login.', {}, error);
  const message = `The token endpoint of the provider answered ${printable(error.error)}.`;
  return new AppError('EXTERNAL_SERVICE_ERROR', message, {}, error);
}

/** The client wraps what its fetch throws. */
function ownError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  return error instanceof Error && error.cause !== undefined ? ownError(error.cause) : undefined;
}

/** Error codes of OAuth are short words; what else a query says is not repeated. */
function printable(code: string): string {
  return /^[a-z_]{1,40}$/.test(code) ? code : 'an unknown error';
}
