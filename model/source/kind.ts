import { type TSchema, Type } from '@sinclair/typebox';
import type { ConnectionType } from '../connection/connection';
import type { OperatorProblem } from '../flow/operator';

/** The rights that a source may need, in the order in which they are checked. */
export const sourceRights = ['reach', 'sign_in', 'list', 'read', 'access'] as const;
export type SourceRight = (typeof sourceRights)[number];

/**
 * The definition of a source, without its code: its settings, its checks before the flow is saved, and its documentation.
 * `services/source/sources.ts` has the implementation under the same name.
 */
export interface SourceKind {
  /** The value of `provider` in flows. */
  name: string;
  /** Further values of `provider` that mean the same. */
  aliases: readonly string[];
  /** The listed documents, for the documentation. */
  summary: string;
  /** Members of `connection_params` in addition to `commonSettings`. */
  settings: Readonly<Record<string, TSchema>>;
  /** Members of `credentials`. */
  credentials: Readonly<Record<string, TSchema>>;
  /** The type of connection whose secrets it accepts; absent if it accepts none. */
  connection?: ConnectionType;
  /** The addresses that receive the secrets if the configuration names none. */
  usualAddress?: string | readonly string[];
  /** The addresses that receive the secrets when accounts and groups are read, if they are others. */
  directoryAddress?: string | readonly string[];
  /** The required rights, each with a description of what grants it. */
  rights: Readonly<Partial<Record<SourceRight, string>>>;
  /** How changes of a document are detected. */
  version: string;
  /** The origin of a document's access list. */
  access: string;
  /** Checks that the schema cannot express. */
  problems(config: Record<string, unknown>): OperatorProblem[];
}

/** An optional text setting. */
export function defineOptionalText(description: string) {
  return Type.Optional(Type.String({ minLength: 1, maxLength: 4_000, description }));
}

/** An optional secret. It accepts references to secrets, and is masked and encrypted. */
export function defineOptionalSecret(description: string) {
  return Type.Optional(Type.String({ minLength: 1, maxLength: 4_000, secret: true, description }));
}

/** A problem of the configuration, at a JSON pointer inside it. */
export function createSourceProblem(pointer: string, message: string): OperatorProblem {
  return { severity: 'error', messageCode: 'OPERATOR_VALIDATION_FAILED', message, pointer };
}

/** True for an address that HTTP clients can use. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** What grants the right `reach` for sources with one server. */
export const reachOneServer = 'The server answers, and DOCLOOM_ALLOWED_HOSTS lists it if its address is private.';
