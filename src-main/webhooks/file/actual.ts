/** Webhooks as they are at this moment, read for a comparison or an export. */
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import type { Asking } from '../../gateway/query.ts'
import type { GatewayAccess, Mirror } from '../parts.ts'
import { readOpcodes } from '../read-opcodes.ts'
import type { ActualWebhook } from './compare.ts'

export type ActualDeps = {
  readonly access: Pick<GatewayAccess, 'webhooks'>
  readonly mirror: Pick<Mirror, 'read' | 'accounts'>
}

/**
 * @param only what is read of it
 * @throws AppError as the client does; the signal's reason
 */
export async function readActual(
  network: NetworkId,
  webhook: Webhook,
  only: { readonly accounts: boolean; readonly opcodes: boolean },
  { access, mirror }: ActualDeps,
  asking: Asking & { readonly signal: AbortSignal },
): Promise<ActualWebhook> {
  const { id, endpoint, newContracts, mempool } = webhook
  const read = only.opcodes ? await readOpcodes(access.webhooks(network), id, asking) : []
  const opcodes = read.map(({ opcode }) => opcode)
  if (only.accounts) await mirror.read(network, id, asking.signal)
  return {
    ...{ id, endpoint, newContracts, mempool, opcodes },
    accountsAfter: (account, limit) => mirror.accounts(network, id, account, limit),
  }
}
