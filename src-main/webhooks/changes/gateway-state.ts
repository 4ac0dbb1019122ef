import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import type { QueryOptions } from '../../gateway/query.ts'
import type { OpenItem, ChangedWebhook } from '../store/changes.ts'
import type { Room } from '../room.ts'
import { readOpcodes } from '../webhooks.ts'
import { isSameEndpoint } from '../../app/self-addresses.ts'
import type { ChunkSize } from '../../jobs/chunk-size.ts'

export type GatewayState = Exclude<Awaited<ReturnType<typeof readState>>, string>

/** @returns a sentence when a webhook is no longer what the change was made for */
export async function readState(
  { id, network }: { readonly id: number; readonly network: NetworkId },
  named: readonly ChangedWebhook[],
  { access, book, mirror, store }: Room<'access' | 'book' | 'mirror' | 'store'>,
  queryOptions: QueryOptions & { readonly signal: AbortSignal },
) {
  const webhooks = await book.readAnew(network, queryOptions)
  const found = new Map<number, Webhook>()
  for (const { place, id: webhook, endpoint } of named) {
    if (webhook === null) continue
    const one = webhooks.find((each) => each.id === webhook)
    if (one === undefined) return removed(webhook, endpoint)
    if (!isSameEndpoint(one.endpoint, endpoint)) return moved(one, endpoint)
    found.set(place, one)
  }
  const opcodes = new Map<number, ReadonlySet<number>>()
  for (const [place, webhook] of found) {
    if (store.changeItems.hasOpen(id, place, 'account')) {
      await mirror.read(network, webhook.id, queryOptions.signal)
    }
    if (store.changeItems.hasOpen(id, place, 'opcode')) {
      const read = await readOpcodes(access.webhooks(network), webhook.id, queryOptions)
      opcodes.set(place, new Set(read.map(({ opcode }) => Number(opcode))))
    }
  }

  function present(group: readonly OpenItem[]): (item: OpenItem) => boolean | null {
    const [first] = group
    const webhook = found.get(first?.webhook ?? -1)
    if (first === undefined || webhook === undefined) return () => false
    switch (first.what) {
      case 'account': {
        const subjects = group.map(({ subject }) => subject)
        const there = mirror.among(network, webhook.id, subjects)
        return ({ subject }) => there.has(subject)
      }
      case 'opcode':
        return ({ subject }) => opcodes.get(first.webhook)?.has(Number(subject)) ?? false
      case 'new-contracts':
        return () => webhook.newContracts
      case 'mempool':
        return () => webhook.mempool
      case 'webhook':
        return () => true
    }
  }

  return {
    webhooks,
    /** Null where the gateway does not say. All items must share webhook, act and kind. */
    isInEffect(group: readonly OpenItem[]) {
      const isThere = present(group)
      return (item: OpenItem) => {
        const there = isThere(item)
        return there === null ? null : there === (item.act !== 'unsubscribe')
      }
    },
  }
}

function removed(webhook: string, endpoint: string): string {
  return `Webhook ${webhook}, which delivered to ${endpoint}, no longer exists at the gateway. Tondesk makes no further changes. Stop this change and start a new one for an existing webhook.`
}

function moved({ id, endpoint }: Webhook, before: string): string {
  return `Webhook ${id} delivers to ${endpoint} now, but this change was made for ${before}. Tondesk makes no further changes. Stop this change, and start a new one if you still need it.`
}

/** Sends items in chunks, and halves a refused chunk until the reason is found. */
export function createNarrowing(chunk: ChunkSize) {
  let limit = Infinity
  /** The refused chunk. If the gateway accepts its entries in smaller chunks, the chunk was too large. */
  let suspect: { readonly length: number; readonly last: number; isClean: boolean } | null = null

  return {
    size: () => Math.max(1, Math.min(chunk.current(), limit)),
    refused(length: number, last: number): void {
      if (suspect === null || last > suspect.last) suspect = { length, last, isClean: true }
      limit = Math.ceil(length / 2)
    },
    spoilt(): void {
      if (suspect !== null) suspect.isClean = false
    },
    taken(length: number, last: number): void {
      chunk.accepted(length)
      if (suspect === null) return
      limit = Math.min(limit * 2, Math.ceil(suspect.length / 2))
      if (last < suspect.last) return
      if (suspect.isClean) chunk.tooLarge(suspect.length)
      suspect = null
      limit = Infinity
    },
  }
}
