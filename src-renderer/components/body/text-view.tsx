import { useEffect, useMemo, useRef, useState } from 'react'
import { formatCount } from '../../ui/format.ts'
import { CopyButton } from '../../ui/toast.tsx'
import { Row, Text } from '../../ui/layout.tsx'
import { UntrustedText } from './untrusted-text.tsx'
import { VirtualRows } from './virtual-rows.tsx'
import { columnsOf } from './visible-text.ts'
import styles from './body.module.css'

const rowHeight = 19
/** The padding and the scroll bar, in pixels. */
const aroundPx = 32

/** The text as received, with line numbers; long lines wrap. */
export function TextView({ text }: { text: string }) {
  const area = useRef<HTMLDivElement>(null)
  const ruler = useRef<HTMLSpanElement>(null)
  const [columns, setColumns] = useState(0)
  const rows = useMemo(() => (columns === 0 ? null : layOutText(text, columns)), [text, columns])
  const digits = String(rows?.lineCount ?? 1).length

  useEffect(() => {
    const box = area.current
    if (box === null) return undefined
    const measure = () => {
      const character = (ruler.current?.getBoundingClientRect().width ?? 0) / 10
      if (character === 0) return
      const fit = Math.floor((box.clientWidth - aroundPx) / character) - digits - 2
      setColumns(Math.max(20, fit))
    }
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [digits])

  return (
    <div ref={area} className={styles['view']}>
      <span ref={ruler} className={styles['ruler']} aria-hidden="true">
        0000000000
      </span>
      <Row pad="s" justify="between">
        <Text size="s" tone="faint">
          {formatCount(rows?.lineCount ?? 1, 'line')}
        </Text>
        <CopyButton text={text} what="Text" label="Copy all" kind="quiet" />
      </Row>
      {rows !== null && (
        <VirtualRows
          count={rows.count}
          height={rowHeight}
          role="region"
          aria-label="Body as text"
          render={(index, top) => (
            <div
              key={index}
              className={styles['line']}
              style={{ transform: `translateY(${top}px)` }}
            >
              <span className={styles['number']} style={{ width: `${digits}ch` }}>
                {rows.lines[index] === 0 ? '↪' : rows.lines[index]}
              </span>
              <span>
                <UntrustedText text={textOfRow(rows, index)} />
              </span>
            </div>
          )}
        />
      )}
    </div>
  )
}

/** A text cut into rows that fit the width. Rows know their line; a row that continues has none. */
type TextRows = {
  readonly text: string
  readonly count: number
  /** Where each row starts; one more entry than rows. */
  readonly starts: Int32Array
  /** Line number from 1, or 0 where the row continues the line above. */
  readonly lines: Int32Array
  readonly lineCount: number
}

/** Cuts at line feeds and at `columns`. A line of a megabyte becomes many rows, none of them long. */
export function layOutText(text: string, columns: number): TextRows {
  const starts: number[] = [0]
  const lines: number[] = [1]
  let line = 1
  let used = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x0a) {
      line += 1
      used = 0
      starts.push(at + 1)
      lines.push(line)
      continue
    }
    const secondHalf = code >= 0xdc00 && code <= 0xdfff && at > 0
    const width = secondHalf ? 0 : columnsOf(code)
    if (used > 0 && used + width > columns) {
      starts.push(at)
      lines.push(0)
      used = 0
    }
    used += width
  }
  starts.push(text.length)
  return {
    text,
    count: lines.length,
    starts: Int32Array.from(starts),
    lines: Int32Array.from(lines),
    lineCount: line,
  }
}

/** The text of a row, without the line feed that ends it. */
export function textOfRow(rows: TextRows, row: number): string {
  const text = rows.text.slice(rows.starts[row], rows.starts[row + 1])
  return text.endsWith('\n') ? text.slice(0, -1) : text
}
