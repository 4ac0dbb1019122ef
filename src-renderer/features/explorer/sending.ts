import { create } from 'zustand'
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import type { Emulation, MessageState } from '../../../src-preload/contract/message.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { request, toAppError } from '../../app/bridge.ts'
import { announce } from '../../ui/toast.tsx'

type EmulationState =
  | { readonly status: 'none' }
  | { readonly status: 'asking'; readonly boc: string }
  | { readonly status: 'failed'; readonly boc: string; readonly error: AppError }
  | { readonly status: 'ready'; readonly boc: string; readonly emulation: Emulation }

/** A message that was sent. It is sent only once; after that, only its state is requested. */
export type SentMessage = MessageState &
  Output<'message.send'> & {
    /** The number of this attempt, because the same message may be sent again. */
    readonly attempt: number
    /** The reason why the last request of its state failed. The request is repeated. */
    readonly problem: AppError | null
  }

/** The state of the page of one network. It is kept when the page is closed, so that nothing typed is lost. */
export type Sending = {
  readonly boc: string
  readonly emulation: EmulationState
  readonly isSending: boolean
  readonly sendProblem: AppError | null
  readonly sent: SentMessage | null
}

const empty: Sending = {
  boc: '',
  emulation: { status: 'none' },
  isSending: false,
  sendProblem: null,
  sent: null,
}

const useDrafts = create<Readonly<Partial<Record<NetworkId, Sending>>>>(() => ({}))

export function useSending(network: NetworkId): Sending {
  return useDrafts((drafts) => drafts[network]) ?? empty
}

const sendingOf = (network: NetworkId): Sending => useDrafts.getState()[network] ?? empty

function change(network: NetworkId, part: Partial<Sending>): void {
  useDrafts.setState({ [network]: { ...sendingOf(network), ...part } })
}

export function typeBoc(network: NetworkId, boc: string): void {
  change(network, { boc, sendProblem: null })
}

/** Resets the form, unless a message is being sent: nothing else may be sent until its response. */
export function startOver(network: NetworkId): void {
  change(network, { ...empty, isSending: sendingOf(network).isSending })
}

/** True if the displayed emulation belongs to the text in the field. */
export function isCurrent({ boc, emulation }: Sending): boolean {
  return emulation.status !== 'none' && emulation.boc === boc.trim()
}

/** Emulates the message without sending it. The response is ignored if the text was changed meanwhile. */
export async function emulateDraft(network: NetworkId): Promise<void> {
  const boc = sendingOf(network).boc.trim()
  const isAsked = () => {
    const { emulation } = sendingOf(network)
    return emulation.status === 'asking' && emulation.boc === boc
  }
  if (isAsked()) return
  change(network, { emulation: { status: 'asking', boc }, sendProblem: null })
  const settle = (emulation: EmulationState) => {
    if (!isAsked()) return
    change(network, { emulation })
    if (emulation.status === 'ready') announce('Emulated')
  }
  try {
    const emulation = await request('message.emulate', { network, boc })
    settle({ status: 'ready', boc, emulation })
  } catch (error) {
    settle({ status: 'failed', boc, error: toAppError(error) })
  }
}

let attempts = 0

/** Sends the emulated message once and follows its state. */
export async function sendDraft(network: NetworkId, boc: string): Promise<void> {
  if (sendingOf(network).isSending) return
  change(network, { isSending: true, sendProblem: null, sent: null })
  try {
    const response = await request('message.send', { network, boc })
    attempts += 1
    const attempt = attempts
    change(network, {
      isSending: false,
      sent: {
        ...response,
        attempt,
        state: 'waiting',
        transactionHash: null,
        transactionSuccess: null,
        problem: null,
      },
    })
    announce('Message sent')
    await follow(network, attempt)
  } catch (error) {
    change(network, { isSending: false, sendProblem: toAppError(error) })
  }
}

const firstFollowMs = 2000
/** The state of a message without an expiry is requested for at most this long. */
const longestFollowMs = 30_000
const followGrowth = 1.2

/** Requests the state of a message until it is on the chain, has expired, or was replaced. */
async function follow(network: NetworkId, attempt: number): Promise<void> {
  const followed = () => {
    const { sent } = sendingOf(network)
    return sent?.attempt === attempt ? sent : null
  }
  const note = (part: Partial<SentMessage>) => {
    const sent = followed()
    if (sent !== null) change(network, { sent: { ...sent, ...part } })
  }
  for (let pause = firstFollowMs; ; pause = Math.min(longestFollowMs, pause * followGrowth)) {
    const sent = followed()
    if (sent === null) return
    const { messageHash, validUntil } = sent
    try {
      const found = await request('message.watch', { network, messageHash, validUntil })
      if (followed() === null) return
      const { state, transactionSuccess } = found
      note({ ...found, problem: null })
      if (state === 'found') {
        const failed = transactionSuccess === false ? ', and its transaction failed' : ''
        announce(`The message is on the chain${failed}`)
      }
      if (state === 'expired') announce('The message has expired')
      if (state !== 'waiting') return
    } catch (error) {
      note({ problem: toAppError(error) })
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
