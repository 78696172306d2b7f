/**
 * A search passage with highlighted matches. The server escapes HTML and wraps matches in `<em>`; this parses the text, so that
 * nothing is ever inserted as HTML.
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

/** Decodes text that the server escaped. */
export function unescape(text: string): string {
  return text.replaceAll(/&(?:lt|gt|amp|quot|#x27|#x2F|#39);/g, (entity) => entities[entity] ?? entity);
}
