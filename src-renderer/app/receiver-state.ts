import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import { attempt, confirmAndRun, request, put, watch } from './bridge.ts'
import { announce, showToast } from '../ui/toast.tsx'

watch('receiver.state', (now, before) => {
  const change = describeChange(before, now)
  if (change !== null) announce(change)
})

function describeChange(before: ReceiverState, now: ReceiverState): string | null {
  if (before.status !== now.status) {
    if (now.status === 'listening') return 'The receiver is listening'
    return now.status === 'stopped' ? 'The receiver has stopped' : 'The receiver has failed'
  }
  if (before.writable !== now.writable) {
    return now.writable ? 'Captures can be written again' : 'Captures cannot be written'
  }
  return null
}

export async function startReceiver(): Promise<void> {
  const state = await attempt('Could not start the receiver', () => request('receiver.start'))
  if (state !== undefined) put('receiver.state', undefined, state)
}

export async function stopReceiver(): Promise<void> {
  const state = await attempt('Could not stop the receiver', () => request('receiver.stop'))
  if (state === undefined) return
  put('receiver.state', undefined, state)
  showToast({
    title: 'The receiver has stopped',
    detail: 'Senders cannot reach this computer until you start the receiver again.',
    action: { label: 'Start receiver', run: () => void startReceiver() },
  })
}

/** Asks the user to confirm, because requests to the old URL will get 404. */
export async function rotateReceiverToken(): Promise<void> {
  const state = await confirmAndRun({
    title: 'Rotate the receiver token?',
    detail:
      'The receiver gets a new URL, and the old URL responds with 404 immediately. You must enter the new URL in every webhook. Captures are kept.',
    action: 'Rotate token',
    failure: 'Could not rotate the receiver token',
    run: () => request('receiver.rotateToken'),
  })
  if (state === undefined) return
  put('receiver.state', undefined, state)
  showToast({ title: 'The receiver has a new URL' })
}
