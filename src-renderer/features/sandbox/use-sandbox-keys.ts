import type { RefObject } from 'react'
import { type Shortcut, useShortcuts } from '../../ui/keyboard.ts'
import { acts, openAct } from './act-state.ts'

const group = 'Sandbox'

/** The keys of the page; the sheet behind `?` lists them from here. */
export function useSandboxKeys(): void {
  useShortcuts(
    acts.map(({ value, label, key }): Shortcut => ({
      keys: [key],
      label,
      group,
      run: () => openAct(value),
    })),
  )
}

/** j and k walk through the wallets; Enter chooses one, as on any button. */
export function useWalletKeys(body: RefObject<HTMLElement | null>): void {
  const walk = (step: 1 | -1) => {
    const names = [...(body.current?.querySelectorAll<HTMLElement>('[data-wallet]') ?? [])]
    const at = names.findIndex((each) => each === document.activeElement)
    const next = at === -1 ? (step === 1 ? 0 : names.length - 1) : at + step
    names[Math.min(names.length - 1, Math.max(0, next))]?.focus()
  }
  useShortcuts([
    { keys: ['j', 'ArrowDown'], label: 'Next wallet', group, run: () => walk(1) },
    { keys: ['k', 'ArrowUp'], label: 'Previous wallet', group, run: () => walk(-1) },
  ])
}
