import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react'
import { classes } from './classes.ts'
import { Icon } from './icons.tsx'
import styles from './splitter.module.css'

const step = 2

type Width = {
  readonly percent: number
  readonly onCommit: (percent: number) => void
  readonly min: number
  readonly max: number
}

/** Returns the width while the handle is dragged, and the handle's events. */
function useHandle({ percent, onCommit, min, max }: Width) {
  const split = useRef<HTMLDivElement>(null)
  const [dragged, setDragged] = useState<number | null>(null)
  const clamp = (value: number) => Math.round(Math.min(max, Math.max(min, value)))
  return {
    split,
    shown: dragged ?? percent,
    isDragged: dragged !== null,
    events: {
      onPointerDown(event: PointerEvent<HTMLDivElement>) {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        setDragged(percent)
      },
      onPointerMove(event: PointerEvent<HTMLDivElement>) {
        const box = split.current?.getBoundingClientRect()
        if (dragged === null || box === undefined || box.width === 0) return
        setDragged(clamp(((event.clientX - box.left) / box.width) * 100))
      },
      onPointerUp() {
        if (dragged === null) return
        setDragged(null)
        if (dragged !== percent) onCommit(dragged)
      },
      onPointerCancel: () => setDragged(null),
      onKeyDown(event: KeyboardEvent) {
        const next = new Map([
          ['ArrowLeft', clamp(percent - step)],
          ['ArrowRight', clamp(percent + step)],
          ['Home', min],
          ['End', max],
        ]).get(event.key)
        if (next === undefined) return
        event.preventDefault()
        event.stopPropagation()
        if (next !== percent) onCommit(next)
      },
    },
  }
}

/**
 * Two sides with a handle between them: drag it, or focus it and use the arrow keys, Home and End.
 * `onCommit` is called when the pointer is released, to remember the width.
 */
export function Splitter({
  label,
  percent,
  onCommit,
  min = 20,
  max = 80,
  left,
  right,
  back,
}: {
  /** The label of the resized area, such as "List width". */
  label: string
  percent: number
  onCommit: (percent: number) => void
  min?: number
  max?: number
  left: ReactNode
  /** Null to give the left side the whole width. */
  right: ReactNode | null
  /**
   * Set if the left side is a list and the right side the detail of a row. In a window narrower
   * than 1200 pixels the detail covers the list, below this link back to the list.
   */
  back?: { readonly href: string; readonly label: string } | undefined
}) {
  const list = useRef<HTMLDivElement>(null)
  const detail = useRef<HTMLDivElement>(null)
  const isOpen = back !== undefined && right !== null
  // The focus must be on a visible element: it moves into a detail that covers its list, and back.
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    if (list.current === null || wasOpen.current === isOpen) return
    wasOpen.current = isOpen
    const focused = document.activeElement
    const hasFocus = focused !== null && focused !== document.body
    if (isOpen) {
      const isCovered = getComputedStyle(list.current).visibility === 'hidden'
      if (isCovered && (!hasFocus || list.current.contains(focused))) {
        detail.current?.focus({ preventScroll: true })
      }
    } else if (!hasFocus) {
      list.current.querySelector<HTMLElement>('[role=grid]')?.focus({ preventScroll: true })
    }
  }, [isOpen])
  const { split, shown, isDragged, events } = useHandle({ percent, onCommit, min, max })
  const width = { '--left': `${shown}%` } as CSSProperties
  return (
    <div
      ref={split}
      className={classes(
        styles['split'],
        right === null && styles['one'],
        isOpen && styles['covers'],
      )}
      style={width}
    >
      <div ref={list} className={styles['side']}>
        {left}
      </div>
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
            className={classes(styles['handle'], isDragged && styles['dragging'])}
            {...events}
          />
          <div ref={detail} tabIndex={-1} className={classes(styles['side'], styles['detail'])}>
            {back !== undefined && (
              <a className={styles['back']} href={back.href}>
                <Icon name="left" size={14} />
                {back.label}
              </a>
            )}
            <div className={styles['content']}>{right}</div>
          </div>
        </>
      )}
    </div>
  )
}
