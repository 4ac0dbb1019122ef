import type { Asking } from '../gateway/query.ts'
import type { OpcodeSubscriptionEntry, WebhooksClient } from '../gateway/webhooks.ts'

/** The largest that the gateway gives. */
const largestPage = 1000

/** All opcode subscriptions of a webhook, each once, whatever shifts meanwhile. */
export async function readOpcodes(
  client: WebhooksClient,
  webhook: string,
  asking: Asking = {},
): Promise<OpcodeSubscriptionEntry[]> {
  const found = new Map<string, OpcodeSubscriptionEntry>()
  for (let offset = 0; ; offset += largestPage) {
    const page = await client.opcodes(webhook, { offset, limit: largestPage }, asking)
    const before = found.size
    for (const entry of page) found.set(entry.opcode, entry)
    // Nothing new: a gateway that takes no offset.
    if (page.length < largestPage || found.size === before) return [...found.values()]
  }
}
