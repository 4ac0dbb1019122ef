import { useCallback, useRef, useState } from 'react'
import { detail } from '../../features/captures/inspector.ts'
import type { BodyForm, LoadedBody } from '../../features/captures/inspector-state.ts'
import { errorBody } from '../../features/captures/deps.ts'
import { chunkBytes, chunksFor, mostChunks } from './hex-rows.ts'

type Chunks = ReadonlyMap<number, Uint8Array>

/**
 * Bytes of a body by range: from what is loaded where it is there, else fetched as it comes into
 * sight. Only the last few chunks are kept.
 */
export function useHexBytes(id: number, form: BodyForm, body: LoadedBody) {
  const [chunks, setChunks] = useState<Chunks>(new Map())
  const [problem, setProblem] = useState<string | null>(null)
  const asked = useRef(new Set<number>())

  const show = useCallback(
    (start: number, end: number) => {
      for (const offset of chunksFor(start, Math.min(end, body.totalBytes))) {
        const isLoaded = Math.min(offset + chunkBytes, body.totalBytes) <= body.bytes.length
        if (isLoaded || asked.current.has(offset)) continue
        asked.current.add(offset)
        detail.fetchBody(id, form, offset, chunkBytes).then(
          ({ bytes }) => {
            setProblem(null)
            setChunks((known) => {
              const next = new Map([...known, [offset, bytes]])
              for (const old of next.keys()) {
                if (next.size <= mostChunks) break
                next.delete(old)
                asked.current.delete(old)
              }
              return next
            })
          },
          (error: unknown) => {
            asked.current.delete(offset)
            setProblem(errorBody(error).message)
          },
        )
      }
    },
    [id, form, body],
  )

  /** The bytes of one row; null while they are on their way. */
  const read = (start: number, end: number): Uint8Array | null => {
    const last = Math.min(end, body.totalBytes)
    if (last <= body.bytes.length) return body.bytes.subarray(start, last)
    const offset = Math.floor(start / chunkBytes) * chunkBytes
    return chunks.get(offset)?.subarray(start - offset, last - offset) ?? null
  }

  return { show, read, problem }
}
