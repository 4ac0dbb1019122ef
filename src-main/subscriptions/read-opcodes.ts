import type { Asking } from '../gateway/query.ts'
import type { WebhooksClient } from '../gateway/webhooks.ts'

const pageLength = 1000

/** All opcodes a webhook is subscribed to, as the service prints them. @throws AppError as the client does */
export async function readOpcodes(
  client: WebhooksClient,
  webhook: string,
  asking: Asking,
): Promise<string[]> {
  const all: string[] = []
  for (;;) {
    const page = { offset: all.length, limit: pageLength }
    const read = await client.opcodes(webhook, page, asking)
    for (const { opcode } of read) all.push(opcode)
    if (read.length < pageLength) return all
  }
}
