/** Reads response bodies: decompression, a size limit, JSON with int64, and server-sent events. */
import { type Readable, type Transform, pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { JsonLimitError, parseJson } from '../ton/lossless-json.ts'
import { type Trouble, isHtml } from './trouble.ts'
import { describeJsonEncoding } from '../../src-preload/domain/read-json.ts'
import { lookupTable } from '../../src-preload/domain/lookup-table.ts'

export const acceptedEncodings = 'gzip, br, deflate'

const decoders: Readonly<Record<string, () => Transform>> = lookupTable({
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate,
})

/**
 * Stops the decompression too when the reader stops at a limit. Null for an encoding that was not
 * requested.
 */
export function decodeBody(
  body: Readable,
  encoding: string | string[] | undefined,
): AsyncIterable<Uint8Array> | null {
  const names = String(encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (names.length === 0) return body
  // A destroyed body emits an error, which would end the process without a listener.
  body.on('error', () => undefined)
  const [name = ''] = names
  const decoder = names.length === 1 ? decoders[name] : undefined
  if (decoder === undefined) {
    body.destroy()
    return null
  }
  // An error in either stream reaches the reader through the iteration.
  return pipeline(body, decoder(), () => undefined)
}

export const isDamagedEncoding = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(Z_|ERR_.*BROTLI)/.test(String(error.code))

/** Reads up to the limit, counted in decoded bytes; not reading the rest ends the connection. */
export async function readText(
  body: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<{ text: string; isWhole: boolean; encoding: string | null }> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    chunks.push(chunk)
    if (size > limit) break
  }
  const bytes = Buffer.concat(chunks)
  const text = bytes.toString('utf8', 0, limit)
  return { text, isWhole: size <= limit, encoding: describeJsonEncoding(bytes) }
}

export function readJson(text: string, status: number, trouble: Trouble): unknown {
  // Some operations respond with 200 and an empty body.
  if (text.trim() === '') return {}
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof JsonLimitError) throw trouble.unexpected(`JSON that ${error.message}`)
    throw isHtml(text) ? trouble.page(status) : trouble.unexpected('not JSON')
  }
}

export type ServerEvent = { readonly name: string; readonly data: string }

/** An event has one or two lines, so a longer one shows that the body is no event stream. */
const maxEventLength = 1024 * 1024

/** Reads a `text/event-stream`. @throws Error when an event grows without an end */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  let name = ''
  let data: string[] = []
  let size = 0
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split(/\r\n|\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { name: name === '' ? 'message' : name, data: data.join('\n') }
        name = ''
        data = []
        size = 0
        continue
      }
      const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (field === 'event') name = value
      else if (field === 'data') data.push(value)
      size += line.length
    }
    if (rest.length + size > maxEventLength) throw new Error('an event without an end')
  }
}
