import { type RefObject, useEffect, useRef } from 'react'

/**
 * Where the focused element of an area goes away (a button that was pressed and is not needed any
 * more), the area takes the focus: without it, the keyboard would begin at the top of the page.
 * The area needs `tabIndex={-1}`.
 */
export function useKeptFocus<E extends HTMLElement>(): RefObject<E | null> {
  const area = useRef<E>(null)
  useEffect(() => {
    const element = area.current
    if (element === null) return undefined
    let last: Node | null = null
    const remember = ({ target }: FocusEvent) => {
      last = target instanceof Node && target !== element ? target : null
    }
    const watch = new MutationObserver(() => {
      if (last === null || last.isConnected) return
      last = null
      // What was focused on purpose meanwhile, a dialog or a field, keeps it.
      if (document.activeElement === document.body) element.focus({ preventScroll: true })
    })
    element.addEventListener('focusin', remember)
    watch.observe(element, { childList: true, subtree: true })
    return () => {
      element.removeEventListener('focusin', remember)
      watch.disconnect()
    }
  }, [])
  return area
}
