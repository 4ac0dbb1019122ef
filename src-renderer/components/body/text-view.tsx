import { useEffect, useMemo, useRef, useState } from 'react'
import { formatNumber } from '../../ui/format.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { layOutText, textOfRow } from './text-rows.ts'
import { VirtualRows } from './virtual-rows.tsx'
import { UntrustedText } from './untrusted-text.tsx'
import styles from './body.module.css'

const rowHeight = 19
/** Beside the text: the padding and the scroll bar. */
const aroundPx = 32

/** The text exactly as received, with line numbers; long lines go on below themselves. */
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
      <div className={styles['tools']}>
        <span className={styles['note']}>
          {formatNumber(rows?.lineCount ?? 1)} {rows?.lineCount === 1 ? 'line' : 'lines'}
        </span>
        <CopyButton text={text} what="Text" label="Copy all" kind="quiet" />
      </div>
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
              <span className={styles['text']}>
                <UntrustedText text={textOfRow(rows, index)} />
              </span>
            </div>
          )}
        />
      )}
    </div>
  )
}
