/**
 * A person's words as an FTS5 query. Each word is quoted, so nothing in it is taken as syntax; what
 * the tokenizer splits inside a word (an address, `order-42`) must then stand together in order.
 * A last word of three letters or more also finds what begins with it, as one types.
 * @returns null when there is nothing to look for
 */
export function matchExpression(text: string): string | null {
  // FTS5 reads a query up to its first NUL, which would cut a quoted word open.
  const words = text.split(/[\s\0]+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (words.length === 0) return null
  const last = words.length - 1
  return words
    .map((word, index) => {
      const quoted = `"${word.replaceAll('"', '""')}"`
      const wanted = /\*$/.test(word) || (index === last && !/\s$/.test(text))
      return wanted && shortestPrefix(word) >= 3 ? `${quoted}*` : quoted
    })
    .join(' ')
}

/** Length of the part that a prefix search would match: what follows the last separator. */
function shortestPrefix(word: string): number {
  return /[\p{L}\p{N}]*$/u.exec(word.replace(/\*+$/, ''))?.[0].length ?? 0
}
