import { type TSchema, Type } from '@sinclair/typebox';
import type { ConnectionType } from '../connection/connection';
import type { OperatorProblem } from '../flow/operator';

/** What a source may need, in the order in which it is checked. */
export const sourceRights = ['reach', 'sign_in', 'list', 'read', 'access'] as const;
export type SourceRight = (typeof sourceRights)[number];

/**
 * One kind of source, without its code: what a flow may set, what is checked before the flow is saved, and what the
 * documentation says. `services/source/sources.ts` has the implementation under the same name.
 */
export interface SourceKind {
  /** The value of `provider` in flows. */
  name: string;
  /** Further values of `provider` that mean the same. */
  aliases: readonly string[];
  /** What it lists, for the documentation. */
  summary: string;
  /** Members of `connection_params` besides `commonSettings`. */
  settings: Readonly<Record<string, TSchema>>;
  /** Members of `credentials`. */
  credentials: Readonly<Record<string, TSchema>>;
  /** The type of connection whose secrets it takes; absent when it takes none. */
  connection?: ConnectionType;
  /** The address that receives the secrets when the configuration names none. */
  usualAddress?: string;
  /** The rights that it needs, each with what grants it. */
  rights: Readonly<Partial<Record<SourceRight, string>>>;
  /** What tells that a document has changed. */
  version: string;
  /** Where the access list of a document comes from. */
  access: string;
  /** Checks that the schema cannot express. */
  problems(config: Record<string, unknown>): OperatorProblem[];
}

/** An optional text setting. */
export function optionalText(description: string) {
  return Type.Optional(Type.String({ minLength: 1, maxLength: 4_000, description }));
}

/** An optional secret, which takes references to secrets and is masked and encrypted. */
export function optionalSecret(description: string) {
  return Type.Optional(Type.String({ minLength: 1, maxLength: 4_000, secret: true, description }));
}

/** A problem of the configuration, at a JSON pointer inside it. */
export function sourceProblem(pointer: string, message: string): OperatorProblem {
  return { severity: 'error', messageCode: 'OPERATOR_VALIDATION_FAILED', message, pointer };
}

/** True for an address that HTTP clients can use. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
