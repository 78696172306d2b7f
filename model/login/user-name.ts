import { Type } from '@sinclair/typebox';

/** The name of one user in a list of readers or members. `*` is rejected: it is not a user name and does not stand for everybody. */
export const UserName = Type.String({ minLength: 1, maxLength: 256, pattern: '^(?!\\*$)' });
