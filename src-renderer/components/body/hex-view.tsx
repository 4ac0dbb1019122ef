import { useCallback, useEffect, useRef, useState } from 'react'
import { formatBytes } from '../../ui/format.ts'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import warning from '../../ui/warning.module.css'
import type { LoadedBody } from '../../features/captures/inspector-state.ts'
import { hexRow, offsetDigits, partBytes, readOffset } from './hex-rows.ts'
import { useHexBytes } from './use-hex-bytes.ts'
import { VirtualRows } from './virtual-rows.tsx'
import styles from './body.module.css'

const rowHeight = 19
/** Sixteen bytes and their letters need this much; a narrower pane shows eight. */
const wideFrom = 600

/** Offsets, bytes and letters. A body of 64 MiB is fetched as one scrolls. */
export function HexView({ id, body }: { id: number; body: LoadedBody }) {
  const area = useRef<HTMLDivElement>(null)
  const [perRow, setPerRow] = useState(16)
  const [part, setPart] = useState(0)
  const [typed, setTyped] = useState('')
  const [sought, setSought] = useState(-1)
  const { show, read, problem } = useHexBytes(id, body.form, body)
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
      <div className={styles['tools']}>
        <span className={styles['note']}>{formatBytes(body.totalBytes)}</span>
        {body.totalBytes > partBytes && (
          <Select
            label="Part"
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
      </div>
      {problem !== null && (
        <p className={warning['box']} role="alert">
          {problem}
        </p>
      )}
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
              className={isSought ? styles['sought'] : styles['line']}
              style={{ transform: `translateY(${top}px)` }}
            >
              <span className={styles['faint']}>{row.offset}</span>
              <span className={styles['hex']} style={{ minWidth: `${perRow * 3 + 1}ch` }}>
                {bytes === null ? '…' : row.hex}
              </span>
              <span className={styles['letters']}>{row.ascii}</span>
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
