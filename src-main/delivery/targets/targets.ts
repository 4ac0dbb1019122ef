import type { Guard } from '../sender/guard.ts'
import { httpTargets } from './http.ts'
import type { Sender, TargetKind } from './target-kind.ts'

const kinds: readonly TargetKind[] = [httpTargets]

/** Creates a sender that opens each kind of target with its first delivery. */
export function createSender(guard: Guard): Sender {
  const open = new Map<TargetKind, Sender>()

  function senderOf(url: string): Sender {
    // The HTTP target also takes invalid URLs, so that it can describe their problem.
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
