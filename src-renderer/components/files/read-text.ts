/**
 * A file as text: UTF-8, or UTF-16 by its byte order mark, as spreadsheets save it. Null when it has
 * more than `most` characters.
 */
export async function readText(file: Blob, most: number): Promise<string | null> {
  // No encoding here takes more than four bytes a character: what is larger need not be read.
  if (file.size > most * 4) return null
  const bytes = new Uint8Array(await file.arrayBuffer())
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes)
  return text.length > most ? null : text
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return 'utf-8'
}
