import { useEffect, useRef } from 'react'
import type { SandboxState } from '../../../src-preload/contract/sandbox.ts'
import { throttle } from '../../ui/throttle.ts'
import { useShownNetwork } from '../../components/chain/of-network.tsx'
import { sandbox } from '../../app/sandbox-state.ts'

/** Elsewhere than on the sandbox nobody tells of a new block. */
const pollMs = 15_000
/** A busy sandbox makes several blocks a second. */
const sandboxMs = 1000

/**
 * Runs each time the chain may have moved, while the window is looked at: on the sandbox when its
 * head moves, elsewhere at intervals.
 */
export function useChainTick(run: () => void): void {
  const { kind } = useShownNetwork()
  const latest = useRef(run)
  useEffect(() => {
    latest.current = run
  })
  useEffect(() => {
    const tick = () => {
      if (document.visibilityState === 'visible') latest.current()
    }
    document.addEventListener('visibilitychange', tick)
    const stop = kind === 'sandbox' ? followHead(tick) : followClock(tick)
    return () => {
      document.removeEventListener('visibilitychange', tick)
      stop()
    }
  }, [kind])
}

function followClock(tick: () => void): () => void {
  const timer = setInterval(tick, pollMs)
  return () => clearInterval(timer)
}

function followHead(tick: () => void): () => void {
  const throttled = throttle(tick, sandboxMs)
  let before = headOf(sandbox.store.getState())
  const stop = sandbox.store.subscribe((state) => {
    const head = headOf(state)
    if (head === before) return
    before = head
    throttled.call()
  })
  return () => {
    stop()
    throttled.cancel()
  }
}

/** The network of the app called sandbox is the sandbox's main network. */
function headOf(state: ReturnType<typeof sandbox.store.getState>): string {
  if (state.status !== 'ready') return ''
  const { status, heads }: SandboxState = state.value
  return `${status} ${heads.find(({ network }) => network === 'mainnet')?.seqno ?? ''}`
}
