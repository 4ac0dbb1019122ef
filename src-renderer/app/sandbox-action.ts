import { create } from 'zustand'
import type { SandboxNetwork } from '../../src-preload/contract/sandbox.ts'
import { navigate, useRoute } from './route.ts'

export type SandboxAction = 'send' | 'faucet' | 'pay' | 'deploy' | 'opcode' | 'activity'

/**
 * The action that the Sandbox page shows, and the wallets and invoice that were chosen for it in a
 * list or in its form.
 */
export const useSandboxAction = create<{
  readonly action: SandboxAction
  readonly from: string
  readonly to: string
  /** Empty for the newest invoice. */
  readonly invoice: string
  /** Increases when a form is opened by key or menu, so that its first field gets the focus. */
  readonly opened: number
}>(() => ({ action: 'send', from: 'wallet-1', to: 'merchant', invoice: '', opened: 0 }))

export function sandboxNetwork(): SandboxNetwork {
  const { route } = useRoute.getState()
  return route.page === 'sandbox' ? route.network : 'mainnet'
}

/** Opens the form of an action with these values, and moves the focus into it. */
export function openSandboxAction(
  action: SandboxAction,
  { invoice = '', ...wallets }: { from?: string; to?: string; invoice?: string } = {},
): void {
  const set = { action, ...wallets, invoice }
  useSandboxAction.setState(({ opened }) => ({ ...set, opened: opened + 1 }))
  navigate({ page: 'sandbox', network: sandboxNetwork(), tab: 'actions' })
}
