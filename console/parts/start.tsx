import { Link } from '../router';
import { texts } from '../texts';
import { Prose } from './prose';

/** The text of a list that fills when documents are added, with the link to the page that adds them. */
export function Start({ text }: { text: string }) {
  return (
    <>
      <Prose text={text} /> <Link to="/add">{texts.nav.add}</Link>
    </>
  );
}
