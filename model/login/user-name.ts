import { Type } from '@sinclair/typebox';

/** The name of one user in a list of readers or members. `*` is refused there: nobody has that name, and it does not mean everybody. */
export const UserName = Type.String({ minLength: 1, maxLength: 256, pattern: '^(?!\\*$)' });
