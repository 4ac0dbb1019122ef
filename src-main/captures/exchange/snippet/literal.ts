/**
 * A string as JavaScript and Python both write it: JSON's escapes mean the same in each. What is not
 * plain ASCII is escaped, so that no editor, clipboard or encoding changes it on its way.
 */
export function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The body as text where it is one that can be read and edited; null where bytes would be lost. */
export function readableText(body: Uint8Array): string | null {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  if (/[^\t\n\r\x20-\x7e\u00a0-\uffff]/.test(text)) return null
  return Buffer.from(text, 'utf8').equals(body) ? text : null
}

/** In lines that an editor can show. */
export function base64Lines(body: Uint8Array): string[] {
  return (
    Buffer.from(body)
      .toString('base64')
      .match(/.{1,100}/g) ?? []
  )
}
