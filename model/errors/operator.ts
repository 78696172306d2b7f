import type { ErrorEntry } from './entry';

/** Operators, and the connections, secrets and addresses that their configurations name. */
export const operatorErrors = {
  OPERATOR_CONFIGURATION_INVALID: { status: 400, scope: 'run', text: 'The operator configuration is invalid.' },
  OPERATOR_EXECUTION_FAILED: { status: 500, scope: 'run', text: 'The operator failed.' },
  SQL_FILTER_ERROR: { status: 400, scope: 'run', text: 'The SQL filter failed.' },
  CONNECTION_NOT_FOUND: { status: 404, scope: 'run', text: 'The connection does not exist, or you may not use it.' },
  CONNECTION_ALREADY_EXISTS: { status: 409, scope: 'request', text: 'A connection with the same name exists.' },
  SECRET_NOT_FOUND: {
    status: 400,
    scope: 'run',
    text: 'A secret reference names a variable that is not set on the worker.',
  },
  SECRET_NOT_ALLOWED: {
    status: 403,
    scope: 'run',
    text: 'A secret is referenced in a member that accepts no secrets, or would be sent to a host that is not listed for it.',
  },
  ADDRESS_NOT_ALLOWED: {
    status: 403,
    scope: 'run',
    text: 'A flow names a private address that is not on the allow-list.',
  },
  ADDRESS_INVALID: {
    status: 400,
    scope: 'run',
    text: 'A flow names a host or a port that does not exist.',
  },
  EXPORT_NOT_ALLOWED: {
    status: 403,
    scope: 'run',
    text: 'A flow may not export to this folder or bucket, or under these names.',
  },
  OPTIONAL_PACKAGE_MISSING: {
    status: 501,
    scope: 'run',
    text: 'An optional package that the request needs is not installed.',
  },
} as const satisfies Record<string, ErrorEntry>;
