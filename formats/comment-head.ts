/** Who wrote a comment, and when; empty for what is unknown. */
export interface CommentSource {
  author?: string;
  initials?: string;
  time?: string;
}

/** Returns `[author: Ann Lee (AL), time: 2026-01-04T05:48:07]`; empty if neither author nor time is known. */
export function formatCommentHead({ author = '', initials = '', time = '' }: CommentSource): string {
  const parts: string[] = [];
  if (author !== '') parts.push(`author: ${author}${initials === '' ? '' : ` (${initials})`}`);
  if (time !== '') parts.push(`time: ${time}`);
  return parts.length === 0 ? '' : `[${parts.join(', ')}]`;
}
