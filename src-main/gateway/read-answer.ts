/** The body of an answer: bytes within a limit, and JSON that keeps its int64. */
import { parseJson } from '../ton/lossless-json.ts'
import type { Trouble } from './trouble.ts'
import { isHtml } from './trouble.ts'

/** Up to the limit; the rest is not read, which ends the connection. */
export async function readText(
  body: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<{ text: string; isWhole: boolean }> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    chunks.push(chunk)
    if (size > limit) break
  }
  const text = Buffer.concat(chunks).toString('utf8', 0, limit)
  return { text, isWhole: size <= limit }
}

export function readJson(text: string, status: number, trouble: Trouble): unknown {
  // Some operations answer 200 with nothing at all.
  if (text.trim() === '') return {}
  try {
    return parseJson(text)
  } catch {
    throw isHtml(text) ? trouble.page(status) : trouble.unexpected('not JSON')
  }
}
