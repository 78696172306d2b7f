import { Fragment } from 'react';
import { splitCode } from './code-pieces';

/** A message of the server as running text: names between backticks are set as code, as in Markdown. */
export function Prose({ text }: { text: string }) {
  return (
    <>
      {splitCode(text).map(({ value, isCode }, index) => {
        const key = `${index} ${value}`;
        return isCode ? <code key={key}>{value}</code> : <Fragment key={key}>{value}</Fragment>;
      })}
    </>
  );
}
