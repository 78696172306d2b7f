import { Fragment } from 'react';

/** A code or a path, which breaks only after its underscores and slashes. */
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
