import type { RefObject } from 'react'
import { shortcutsOf, useShortcuts } from './keyboard.ts'

/** j and k walk through the links of a short list that have `data-walk`, unless `keys` is null; Enter opens one. */
export function useLinkKeys(
  body: RefObject<HTMLElement | null>,
  keys: { readonly group: string; readonly thing: string } | null,
): void {
  const walk = (step: 1 | -1) => {
    const links = [...(body.current?.querySelectorAll<HTMLElement>('[data-walk]') ?? [])]
    const at = links.findIndex((each) => each === document.activeElement)
    const next = at === -1 ? (step === 1 ? 0 : links.length - 1) : at + step
    links[Math.min(links.length - 1, Math.max(0, next))]?.focus()
  }
  const key = shortcutsOf(keys?.group ?? '')
  useShortcuts(
    keys === null
      ? []
      : [
          key(['j', 'ArrowDown'], `Next ${keys.thing}`, () => walk(1)),
          key(['k', 'ArrowUp'], `Previous ${keys.thing}`, () => walk(-1)),
        ],
  )
}
