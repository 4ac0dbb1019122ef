import { useVirtualizer } from '@tanstack/react-virtual'
import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react'
import styles from './body.module.css'

/** Renders rows of equal height, of which only the visible ones exist. */
export function VirtualRows({
  count,
  height,
  render,
  onRange,
  reveal = -1,
  ...rest
}: {
  count: number
  height: number
  /** Renders a row at the position `top` in pixels. */
  render: (index: number, top: number) => ReactNode
  onRange?: (first: number, last: number) => void
  /** A row that is scrolled into view when this value changes. */
  reveal?: number
} & Omit<ComponentProps<'div'>, 'children' | 'onScroll' | 'ref'>) {
  const area = useRef<HTMLDivElement>(null)
  // oxlint-disable-next-line react/incompatible-library -- its functions are used here only
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => area.current,
    estimateSize: () => height,
    overscan: 10,
  })
  const items = virtual.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0

  useEffect(() => onRange?.(first, last), [first, last, onRange])
  useEffect(() => {
    if (reveal >= 0) virtual.scrollToIndex(reveal, { align: 'auto' })
  }, [reveal, virtual])

  return (
    <div ref={area} tabIndex={0} className={styles['scroller']} {...rest}>
      <div
        className={styles['sizer']}
        style={{ height: virtual.getTotalSize() }}
        role="presentation"
      >
        {items.map(({ index, start }) => render(index, start))}
      </div>
    </div>
  )
}
