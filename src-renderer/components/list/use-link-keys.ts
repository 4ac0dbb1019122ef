import type { RefObject } from 'react'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'

/** j and k walk through the links of a short list that have `data-walk`; Enter opens one. */
export function useLinkKeys(
  body: RefObject<HTMLElement | null>,
  { group, thing }: { group: string; thing: string },
): void {
  const walk = (step: 1 | -1) => {
    const links = [...(body.current?.querySelectorAll<HTMLElement>('[data-walk]') ?? [])]
    const at = links.findIndex((each) => each === document.activeElement)
    const next = at === -1 ? (step === 1 ? 0 : links.length - 1) : at + step
    links[Math.min(links.length - 1, Math.max(0, next))]?.focus()
  }
  const key = shortcutsOf(group)
  useShortcuts([
    key(['j', 'ArrowDown'], `Next ${thing}`, () => walk(1)),
    key(['k', 'ArrowUp'], `Previous ${thing}`, () => walk(-1)),
  ])
}
