import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useRef,
  useState,
} from 'react'
import { classes } from './classes.ts'
import styles from './splitter.module.css'

const step = 2

/**
 * Two sides with a handle between: drag it, or focus it and use the arrows, Home and End.
 * `onCommit` comes once the hand lets go, to remember it.
 */
export function Splitter({
  label,
  percent,
  onCommit,
  min = 20,
  max = 80,
  left,
  right,
}: {
  /** What is resized: "List width". */
  label: string
  percent: number
  onCommit: (percent: number) => void
  min?: number
  max?: number
  left: ReactNode
  /** Without it the left side has the whole width. */
  right: ReactNode | null
}) {
  const split = useRef<HTMLDivElement>(null)
  const [dragged, setDragged] = useState<number | null>(null)
  const shown = dragged ?? percent
  const clamp = (value: number) => Math.round(Math.min(max, Math.max(min, value)))

  const drag = (event: PointerEvent<HTMLDivElement>) => {
    const box = split.current?.getBoundingClientRect()
    if (dragged === null || box === undefined || box.width === 0) return
    setDragged(clamp(((event.clientX - box.left) / box.width) * 100))
  }

  const release = () => {
    if (dragged === null) return
    setDragged(null)
    if (dragged !== percent) onCommit(dragged)
  }

  const press = (event: KeyboardEvent) => {
    const next = {
      ArrowLeft: clamp(percent - step),
      ArrowRight: clamp(percent + step),
      Home: min,
      End: max,
    }[event.key]
    if (next === undefined) return
    event.preventDefault()
    event.stopPropagation()
    if (next !== percent) onCommit(next)
  }

  const width = { '--left': `${shown}%` } as CSSProperties
  return (
    <div
      ref={split}
      className={classes(styles['split'], right === null && styles['one'])}
      style={width}
    >
      <div className={styles['side']}>{left}</div>
      {right !== null && (
        <>
          <div
            role="separator"
            tabIndex={0}
            aria-label={label}
            aria-orientation="vertical"
            aria-valuenow={shown}
            aria-valuemin={min}
            aria-valuemax={max}
            className={classes(styles['handle'], dragged !== null && styles['dragging'])}
            onPointerDown={(event) => {
              event.preventDefault()
              event.currentTarget.setPointerCapture(event.pointerId)
              setDragged(percent)
            }}
            onPointerMove={drag}
            onPointerUp={release}
            onPointerCancel={() => setDragged(null)}
            onKeyDown={press}
          />
          <div className={styles['side']}>{right}</div>
        </>
      )}
    </div>
  )
}
