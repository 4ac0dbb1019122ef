import { z } from 'zod'
import { receiverState } from '../../src-preload/contract/receiver.ts'
import type { Dispatch } from '../bridge/dispatch.ts'

/** Tells whoever started the app from a terminal that it is there, and where to post to. */
export async function announce(dispatch: Dispatch, { json }: { json: boolean }): Promise<void> {
  const answer = z
    .object({ ok: z.literal(true), data: receiverState })
    .safeParse(await dispatch('receiver.state', undefined))
  const state = answer.success ? answer.data.data : null
  const receiverUrl = state?.url ?? null
  process.stdout.write(
    json
      ? `${JSON.stringify({ event: 'ready', host: 'electron', receiverUrl })}\n`
      : `Post webhooks to ${receiverUrl ?? `nowhere yet: ${state?.problem ?? 'the receiver is stopped.'}`}\n`,
  )
}
