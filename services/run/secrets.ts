import { AppError } from '../../model/errors';

/** `${NAME}` with a name as environment variables have it; other uses of `${` are text. */
const reference = /\$\{([A-Z_][A-Z0-9_]*)\}/g;
const allowed = /^DOCLOOM_SECRET_[A-Z0-9_]+$/;

/**
 * The configuration with every `${DOCLOOM_SECRET_…}` inside a string value replaced from `env`. SECRET_NOT_FOUND names
 * the reference and where it stands when the variable is not set or empty, or when another variable is asked for: flows
 * come from users, and the rest of the environment is not theirs. Values put in are not searched again.
 */
export function resolveSecrets<T>(config: T, env: Record<string, string | undefined>): T {
  return resolved(config, env, '') as T;
}

function resolved(value: unknown, env: Record<string, string | undefined>, pointer: string): unknown {
  if (typeof value === 'string') return value.replace(reference, (_, name: string) => lookUp(name, env, pointer));
  if (Array.isArray(value)) return value.map((item: unknown, index) => resolved(item, env, `${pointer}/${index}`));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolved(member, env, `${pointer}/${name}`)]),
  );
}

function lookUp(name: string, env: Record<string, string | undefined>, pointer: string): string {
  const where = pointer === '' ? '' : ` at ${pointer}`;
  if (!allowed.test(name)) {
    throw new AppError(
      'SECRET_NOT_FOUND',
      `The reference \${${name}}${where} does not resolve: only variables that begin with DOCLOOM_SECRET_ do.`,
    );
  }
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (!value)
    throw new AppError(
      'SECRET_NOT_FOUND',
      `The reference \${${name}}${where} does not resolve: ${name} is not set in the environment of the worker.`,
    );
  return value;
}
