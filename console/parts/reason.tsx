import { Prose } from './prose';

/** A reason in a list, cut after four lines, in narrow windows after eight: some name every format. The page of the document has the whole. */
export function Reason({ text }: { text: string }) {
  return (
    <span className="reason" title={text}>
      <Prose text={text} />
    </span>
  );
}
