import { z } from 'zod'
import { replayOrder } from '../../../src-preload/contract/replay.ts'
import { captureId } from '../../../src-preload/contract/route.ts'
import { sandboxRoutes as routes } from '../../../src-preload/contract/sandbox.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { targetCodes } from '../../../src-preload/domain/error-codes.ts'
import { watchReplay } from '../watch-job.ts'
import { type ToolResult, linkTo } from './result.ts'
import type { Tool, ToolRun } from './tool.ts'

const [byMs, toNext] = routes['sandbox.advance'].input.options
const link = 'sandbox'

const replaying = z.object({
  ids: z.array(captureId).min(1).max(50),
  target: replayOrder.shape.target,
  timeoutSeconds: z.int().min(1).max(30).default(15),
})
const maxReplayMs = 50_000

async function replayCaptures(run: ToolRun, given: unknown): Promise<ToolResult> {
  const { ids, target, timeoutSeconds } = replaying.parse(given)
  await requireAllowed(run, target)
  const { session, signal } = run
  const subject = { kind: 'captures' as const, ids }
  const { id } = await session.call('replay.start', { subject, target, timeoutSeconds })
  const stop = AbortSignal.any([signal, AbortSignal.timeout(maxReplayMs)])
  const job = await watchReplay({ session, terminal: { note: () => undefined }, stop }, id)
  const { sendings } = await session.call('replay.sendings', { id, limit: ids.length })
  return { facts: { link: linkTo(`inspector/replays/${id}`, null), ...job }, items: sendings }
}

/** @throws AppError TARGET_REFUSED, TARGET_UNCONFIRMED */
async function requireAllowed({ session, replayTargets }: ToolRun, target: string): Promise<void> {
  const { kind, problem } = await session.call('target.check', { url: target })
  if (kind !== 'loopback') {
    const why = problem ?? 'The target is another computer.'
    throw new AppError(targetCodes.refused, `An agent cannot replay to ${target}. ${why}`)
  }
  const rules = (await session.call('forwardRule.list')).filter(({ enabled }) => enabled)
  const allowed = [...replayTargets, ...rules.flatMap(({ targets }) => targets)]
  const hrefs = allowed.map((url) => new URL(url).href)
  if (hrefs.includes(new URL(target).href)) return
  const message = `The user has not allowed replays to ${target}. Allowed: ${hrefs.join(', ') || 'none'}. The user can add a forwarding rule, or start \`tondesk mcp\` with --replay-to.`
  throw new AppError(targetCodes.unconfirmed, message)
}

export const writeTools: readonly Tool[] = [
  {
    name: 'sandbox_write',
    isWrite: true,
    needsApp: true,
    fields: {
      ...routes['sandbox.pay'].input.partial().shape,
      ...routes['sandbox.send'].input.partial().shape,
      ...byMs.partial().shape,
      ...toNext.partial().shape,
      ...routes['sandbox.snapshot'].input.shape,
      ...routes['sandbox.setFaults'].input.partial().shape,
    },
    actions: {
      pay: { route: 'sandbox.pay', link },
      send: { route: 'sandbox.send', link },
      advance: { route: 'sandbox.advance', link },
      snapshot: { route: 'sandbox.snapshot', link },
      revert: { route: 'sandbox.revert', link },
      fault: { route: 'sandbox.setFaults', link },
    },
  },
  {
    name: 'replay_write',
    isWrite: true,
    needsApp: true,
    fields: replaying.shape,
    actions: { replay: replayCaptures },
  },
]
