import { useCallback, useEffect, useRef, useState } from 'react'
import { toAppError } from '../../app/bridge.ts'
import { Select, TextField } from '../../ui/form.tsx'
import { formatBytes } from '../../ui/format.ts'
import { classes } from '../../ui/classes.ts'
import { Note, Row, Text, Small } from '../../ui/layout.tsx'
import surface from '../../ui/surface.module.css'
import { VirtualRows } from './virtual-rows.tsx'
import styles from './body.module.css'

const rowHeight = 19
/** The width in pixels of sixteen bytes with their characters; a narrower pane shows eight. */
const wideFrom = 600

type Bytes = { readonly bytes: Uint8Array; readonly totalBytes: number }

type FetchPart = (offset: number, limit: number) => Promise<Uint8Array>

/** Shows offsets, bytes and characters. Missing parts are fetched when they become visible. */
export function HexView({ body, fetchPart }: { body: Bytes; fetchPart: FetchPart }) {
  const area = useRef<HTMLDivElement>(null)
  const [perRow, setPerRow] = useState(16)
  const [part, setPart] = useState(0)
  const [typed, setTyped] = useState('')
  const [sought, setSought] = useState(-1)
  const { show, read, problem } = useHexBytes(body, fetchPart)
  const start = part * partBytes
  const count = Math.ceil(Math.min(partBytes, body.totalBytes - start) / perRow)
  const digits = offsetDigits(body.totalBytes)

  useEffect(() => {
    const box = area.current
    if (box === null) return undefined
    const observer = new ResizeObserver(() => setPerRow(box.clientWidth < wideFrom ? 8 : 16))
    observer.observe(box)
    return () => observer.disconnect()
  }, [])

  const range = useCallback(
    (first: number, last: number) => show(start + first * perRow, start + (last + 1) * perRow),
    [show, start, perRow],
  )

  const goTo = () => {
    const offset = readOffset(typed)
    if (offset === null || offset >= body.totalBytes) return
    setPart(Math.floor(offset / partBytes))
    setSought(offset)
  }

  return (
    <div ref={area} className={styles['view']}>
      <Row pad="s">
        <Small tone="faint">{formatBytes(body.totalBytes)}</Small>
        {body.totalBytes > partBytes && (
          <Select
            label="Part of the body to show"
            value={String(part)}
            onChange={(next) => setPart(Number(next))}
            options={partsOf(body.totalBytes)}
          />
        )}
        <form
          className={styles['goTo']}
          onSubmit={(event) => {
            event.preventDefault()
            goTo()
          }}
        >
          <TextField
            label="Go to offset"
            hideLabel
            mono
            placeholder="go to 0x…"
            value={typed}
            onChange={setTyped}
            {...(typed !== '' && readOffset(typed) === null && { error: 'Not an offset.' })}
          />
        </form>
      </Row>
      {problem !== null && <Note tone="bad">{problem}</Note>}
      <VirtualRows
        key={`${part}-${perRow}`}
        count={count}
        height={rowHeight}
        role="region"
        aria-label="Body as bytes"
        onRange={range}
        reveal={sought < start ? -1 : Math.floor((sought - start) / perRow)}
        render={(index, top) => {
          const offset = start + index * perRow
          const bytes = read(offset, offset + perRow)
          const row = hexRow(bytes ?? new Uint8Array(0), offset, digits)
          const isSought = sought >= offset && sought < offset + perRow
          return (
            <div
              key={index}
              className={classes(styles['line'], isSought && surface['chosen'])}
              style={{ transform: `translateY(${top}px)` }}
            >
              <HexCells row={bytes === null ? { ...row, hex: '…' } : row} perRow={perRow} />
            </div>
          )
        }}
      />
    </div>
  )
}

function partsOf(totalBytes: number): { value: string; label: string }[] {
  return Array.from({ length: Math.ceil(totalBytes / partBytes) }, (_, index) => ({
    value: String(index),
    label: `from ${formatBytes(index * partBytes)}`,
  }))
}

type Chunks = ReadonlyMap<number, Uint8Array>

/**
 * Returns ranges of a body's bytes from the loaded part, or fetches them when they become visible.
 * Only the last `maxChunks` stay in memory.
 */
function useHexBytes(body: Bytes, fetchPart: FetchPart) {
  const [chunks, setChunks] = useState<Chunks>(new Map())
  const [problem, setProblem] = useState<string | null>(null)
  const requested = useRef(new Set<number>())
  const latest = useRef(fetchPart)
  useEffect(() => {
    latest.current = fetchPart
  })

  const show = useCallback(
    (start: number, end: number) => {
      for (const offset of chunksFor(start, Math.min(end, body.totalBytes))) {
        const isLoaded = Math.min(offset + chunkBytes, body.totalBytes) <= body.bytes.length
        if (isLoaded || requested.current.has(offset)) continue
        requested.current.add(offset)
        latest.current(offset, chunkBytes).then(
          (bytes) => {
            setProblem(null)
            setChunks((known) => {
              const next = new Map([...known, [offset, bytes]])
              for (const old of next.keys()) {
                if (next.size <= maxChunks) break
                next.delete(old)
                requested.current.delete(old)
              }
              return next
            })
          },
          (error: unknown) => {
            requested.current.delete(offset)
            setProblem(toAppError(error).message)
          },
        )
      }
    },
    [body],
  )

  /** Returns the bytes of one row; null while they are loading. */
  const read = (start: number, end: number): Uint8Array | null => {
    const last = Math.min(end, body.totalBytes)
    if (last <= body.bytes.length) return body.bytes.subarray(start, last)
    const offset = Math.floor(start / chunkBytes) * chunkBytes
    return chunks.get(offset)?.subarray(start - offset, last - offset) ?? null
  }

  return { show, read, problem }
}

/** The number of bytes in a request, and of chunks in memory. */
export const chunkBytes = 65_536
const maxChunks = 64
/** A larger body is shown in parts, because a scroll area cannot be higher than about 33 million pixels. */
const partBytes = 16_777_216

type HexRow = { readonly offset: string; readonly hex: string; readonly ascii: string }

/** Shows a line of a hex view: its offset, its bytes and its characters. */
export function HexCells({ row: { offset, hex, ascii }, perRow }: { row: HexRow; perRow: number }) {
  return (
    <>
      <Text tone="faint">{offset}</Text>
      <span style={{ minWidth: `${perRow * 3 + 1}ch` }}>{hex}</span>
      <Text tone="dim">{ascii}</Text>
    </>
  )
}

/** Formats a line of a hex view; `bytes` are the bytes of the row, in groups of eight. */
export function hexRow(bytes: Uint8Array, offset: number, digits: number): HexRow {
  let hex = ''
  let ascii = ''
  bytes.forEach((byte, at) => {
    hex += `${at === 0 ? '' : at % 8 === 0 ? '  ' : ' '}${byte.toString(16).padStart(2, '0')}`
    ascii += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'
  })
  return { offset: offset.toString(16).padStart(digits, '0'), hex, ascii }
}

/** The number of digits of an offset: eight, or more for a larger body. */
export function offsetDigits(totalBytes: number): number {
  return Math.max(8, totalBytes.toString(16).length)
}

/** The beginnings of the chunks that contain the bytes from `start` to before `end`. */
export function chunksFor(start: number, end: number): number[] {
  const from = Math.floor(start / chunkBytes)
  const to = Math.floor(Math.max(start, end - 1) / chunkBytes)
  return Array.from({ length: to - from + 1 }, (_, index) => (from + index) * chunkBytes)
}

/** Parses an offset such as `0x1f40`, `1f40h` or a decimal number; null for other text. */
export function readOffset(text: string): number | null {
  const clean = text.trim().toLowerCase()
  const hex = /^0x([0-9a-f]{1,12})$/.exec(clean) ?? /^([0-9a-f]{1,12})h$/.exec(clean)
  if (hex?.[1] !== undefined) return Number.parseInt(hex[1], 16)
  return /^[0-9]{1,12}$/.test(clean) ? Number.parseInt(clean, 10) : null
}
