import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { literals } from '../literals';

/** The schema of the result for one right that a check tried; `message` describes what its message leaves out. */
export function describeCheckedRight<Right extends string>(name: string, rights: readonly Right[], message: string) {
  return closedObject(name, {
    right: literals(rights),
    needs: Type.String({ description: 'What grants the right.' }),
    outcome: Type.Union([Type.Literal('granted'), Type.Literal('denied'), Type.Literal('unknown')], {
      description: '`unknown`: it could not be tried.',
    }),
    code: Type.Optional(Type.String({ description: 'The error code with which a run would fail.' })),
    message: Type.String({ description: message }),
  });
}
