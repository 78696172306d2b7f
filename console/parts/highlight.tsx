/**
 * A passage of a search with its found words marked. The server escapes HTML and wraps found words in `<em>`; this takes the
 * text apart again, so that nothing is ever set as HTML.
 */
export function Highlight({ passage }: { passage: string }) {
  return (
    <>
      {passage.split(/(<em>[\s\S]*?<\/em>)/).map((piece, index) => {
        const inner = /^<em>([\s\S]*)<\/em>$/.exec(piece)?.[1];
        // oxlint-disable-next-line react/no-array-index-key -- pieces have no identity but their position.
        return inner === undefined ? unescape(piece) : <mark key={index}>{unescape(inner)}</mark>;
      })}
    </>
  );
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#x27;': "'",
  '&#x2F;': '/',
  '&#39;': "'",
};

/** The text of what the server escaped. */
export function unescape(text: string): string {
  return text.replaceAll(/&(?:lt|gt|amp|quot|#x27|#x2F|#39);/g, (entity) => entities[entity] ?? entity);
}
