/** As comments are compared: spaces around and capitals do not count. Null for none. */
export function commentKey(comment: string | null): string | null {
  const folded = comment?.trim().toLowerCase() ?? ''
  return folded === '' ? null : folded
}
