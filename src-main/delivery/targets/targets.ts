import type { Guard } from '../sender/guard.ts'
import { httpTargets } from './http.ts'
import type { Sender, TargetKind } from './target-kind.ts'

const kinds: readonly TargetKind[] = [httpTargets]

/** Opens a kind with its first delivery. */
export function createSender(guard: Guard): Sender {
  const open = new Map<TargetKind, Sender>()

  function senderOf(url: string): Sender {
    // HTTP also takes invalid URLs, to say what is wrong with them.
    const kind = kinds.find(({ handles }) => handles(url)) ?? httpTargets
    const sender = open.get(kind) ?? kind.open(guard)
    open.set(kind, sender)
    return sender
  }

  return {
    send: (request, url, options) => senderOf(url).send(request, url, options),
    guardChanged() {
      for (const sender of open.values()) sender.guardChanged()
    },
    async close() {
      await Promise.all(open.values().map((sender) => sender.close()))
    },
  }
}
