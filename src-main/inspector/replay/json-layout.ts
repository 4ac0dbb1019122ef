/**
 * JSON as one member a line, so that two texts can be compared. Nothing is converted: numbers keep
 * their digits, strings their escapes, objects their order and their duplicate keys.
 * @returns null for a text that is no JSON
 */
export function layOutJson(text: string): string | null {
  const bare = text.startsWith('\ufeff') ? text.slice(1) : text
  try {
    JSON.parse(bare)
  } catch {
    return null
  }
  const parts: string[] = []
  let depth = 0
  const newLine = () => `\n${'  '.repeat(depth)}`
  token.lastIndex = 0
  for (let found = token.exec(bare); found !== null; found = token.exec(bare)) {
    const [each] = found
    switch (each) {
      case '{':
      case '[': {
        const closing = closingAfter(bare, token.lastIndex)
        if (closing !== null) {
          parts.push(each + (each === '{' ? '}' : ']'))
          token.lastIndex = closing
          break
        }
        depth += 1
        parts.push(each, newLine())
        break
      }
      case '}':
      case ']':
        depth -= 1
        parts.push(newLine(), each)
        break
      case ',':
        parts.push(each, newLine())
        break
      case ':':
        parts.push(': ')
        break
      default:
        parts.push(each)
    }
  }
  return parts.join('')
}

/** Of a text that is JSON: a string, a bracket, a comma, a colon, or a number or word. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** Where an empty container ends; null for one that is not empty. */
function closingAfter(text: string, from: number): number | null {
  let at = from
  while (/\s/.test(text.charAt(at))) at += 1
  return text[at] === '}' || text[at] === ']' ? at + 1 : null
}
