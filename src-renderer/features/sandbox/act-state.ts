import { create } from 'zustand'
import { navigate } from '../../app/route.ts'
import { currentNetwork } from './sandbox-data.ts'

type Act = 'send' | 'faucet' | 'pay' | 'deploy' | 'opcode' | 'activity'

export const acts: readonly { value: Act; label: string; key: string }[] = [
  { value: 'send', label: 'Send', key: 's' },
  { value: 'faucet', label: 'Faucet', key: 'f' },
  { value: 'pay', label: 'Pay an invoice', key: 'p' },
  { value: 'deploy', label: 'Deploy', key: 'd' },
  { value: 'opcode', label: 'Opcode', key: 'o' },
  { value: 'activity', label: 'Activity', key: 'a' },
]

type ActState = {
  readonly act: Act
  /** Wallets chosen in the table or the form. */
  readonly from: string
  readonly to: string
  /** Grows when the form is asked for by key or menu: its first field then takes the focus. */
  readonly asked: number
}

export const useAct = create<ActState>(() => ({
  act: 'send',
  from: 'wallet-1',
  to: 'merchant',
  asked: 0,
}))

/** Brings a form up, with what is known filled in, and the focus into it. */
export function openAct(act: Act, known: { from?: string; to?: string } = {}): void {
  useAct.setState(({ asked }) => ({ act, ...known, asked: asked + 1 }))
  navigate({ page: 'sandbox', network: currentNetwork(), tab: 'act' })
}
