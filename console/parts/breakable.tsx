import { Fragment } from 'react';

/** A code or a path that breaks across lines only after underscores and slashes. */
export function Breakable({ text }: { text: string }) {
  return (
    <span className="breakable">
      {text.split(/(?<=\w[_/])/).map((part, index) => (
        <Fragment key={`${index} ${part}`}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </span>
  );
}
