/** A reason in a list, cut after four lines: some name every format. The page of the document has the whole. */
export function Reason({ text }: { text: string }) {
  return (
    <span className="reason" title={text}>
      {text}
    </span>
  );
}
