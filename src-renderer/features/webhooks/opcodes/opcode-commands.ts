import type { Network } from '../../../../src-preload/contract/network.ts'
import type { OpcodeSubscription, Webhook } from '../../../../src-preload/contract/webhook.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import type { Resource } from '../../../app/resource.ts'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { confirmOn, isReal } from '../../../components/network-confirm.tsx'

type Of = Pick<Webhook, 'network' | 'id'>
type Opcodes = Resource<OpcodeSubscription[]>

/** @throws AppError as the route does: the form tells it at its field */
export async function addOpcode(webhook: Of, opcode: string, opcodes: Opcodes): Promise<void> {
  opcodes.set(await request('webhook.setOpcode', { ...of(webhook), opcode, on: true }))
  announce(`${opcode} is subscribed`)
}

export async function removeOpcode(
  webhook: Of,
  { opcode, name }: OpcodeSubscription,
  network: Network,
  opcodes: Opcodes,
): Promise<void> {
  if (isReal(network)) {
    const yes = await confirmOn(network, {
      title: `Stop delivering messages with ${opcode}?`,
      detail: `Messages ${name === null ? 'with this opcode' : `that are a ${name}`} are not delivered until it is subscribed again; those of the time between never are.`,
      action: 'Remove the opcode',
      destructive: true,
    })
    if (!yes) return
  }
  const next = await attempt('Could not remove the opcode', () =>
    request('webhook.setOpcode', { ...of(webhook), opcode, on: false }),
  )
  if (next === undefined) return
  opcodes.set(next)
  showToast({
    title: `${opcode} removed`,
    action: {
      label: 'Subscribe again',
      run: () =>
        void attempt('Could not subscribe the opcode', () => addOpcode(webhook, opcode, opcodes)),
    },
  })
}

const of = ({ network, id }: Of) => ({ network, id })
