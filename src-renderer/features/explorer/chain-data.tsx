/**
 * The data that the pages of the explorer load from a network and keep up to date, with their
 * loading and error states.
 */
import { useEffect, useEffectEvent, useMemo, useRef } from 'react'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Input, Output, RouteName } from '../../../src-preload/contract/routes.ts'
import type { SandboxState } from '../../../src-preload/contract/sandbox.ts'
import { attempt, on, peek, put, reload, request, useDataBy, useDataOf } from '../../app/bridge.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { Button } from '../../ui/button.tsx'
import { Note, Pane, Row, Text, SmallLink } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { throttle } from '../../ui/throttle.ts'
import { fillTemplate } from './labels.ts'

/**
 * Loads data of the chain. Earlier data is displayed at once and loaded again, because the chain
 * may have changed.
 */
export function useChainData<N extends RouteName>(name: N, input: Input<N>) {
  const query = useDataOf(name, input)
  useReloadOfKnown(name, input)
  return query
}

function useReloadOfKnown(name: RouteName, input: unknown): void {
  const key = JSON.stringify(input)
  useEffect(() => {
    const requested: unknown = JSON.parse(key)
    const known = peek as (name: RouteName, input: unknown) => unknown
    if (known(name, requested) !== undefined) reload(name, requested)
  }, [name, key])
}

/**
 * Loads a transaction, which is displayed as soon as its trace is known. The names of unknown
 * jettons are loaded afterwards.
 */
export function useTransaction(network: NetworkId, id: string) {
  const name = 'transaction.get'
  const input = useMemo(() => ({ network, id }), [network, id])
  const load = (more: Partial<Input<typeof name>> = {}) =>
    request(name, { ...input, ...more, partial: true })
  const query = useDataBy(name, input, load)
  useReloadOfKnown(name, input)
  const { data } = query
  useEffect(() => {
    if (data?.isPartial !== true) return undefined
    let isCurrent = true
    const show = (response: Output<typeof name>) => isCurrent && put(name, input, response)
    // Jettons that could not be fetched stay unnamed until the next reload.
    request(name, input).then(show, () => show({ ...data, isPartial: false }))
    return () => {
      isCurrent = false
    }
  }, [data, input])
  return {
    query,
    /** Loads again even a transaction that is stored as final, because the gateway may know more by now. */
    refresh: async () => {
      const fresh = await attempt('Could not reload the transaction', () => load({ refresh: true }))
      if (fresh !== undefined) put(name, input, fresh)
    },
  }
}

/** Shows data of the chain like `Loaded`, and loads it again once the network is available. */
export function ChainLoaded<T>(props: Parameters<typeof Loaded<T>>[0]) {
  const { data, error, refetch } = props.query
  useReloadOnceAvailable(data === undefined && error !== null, refetch)
  return (
    <Pane>
      <Loaded rows={8} {...props} />
    </Pane>
  )
}

/** Loads data again when the network becomes available: the sandbox was started, or a key was added. */
export function useReloadOnceAvailable(hasFailed: boolean, load: () => unknown): void {
  const { problem } = useShownNetwork()
  const before = useRef(problem)
  useEffect(() => {
    const isAvailableAgain = before.current !== null && problem === null
    before.current = problem
    if (isAvailableAgain && hasFailed) load()
  })
}

/** Explains why the displayed data is out of date, with a button that loads it again. */
export function StaleNote({ why, onRetry }: { why: string; onRetry: () => unknown }) {
  return (
    <Note tone="warn">
      <Row role="status">
        <Text over="break">{why}</Text>
        <Row last>
          <Button icon="refresh" onClick={() => void onRetry()}>
            Try again
          </Button>
        </Row>
      </Row>
    </Note>
  )
}

/** Explains why transactions are missing: the gateway left them out, or they could not be parsed. */
export function UnreadTransactions({ unread }: { unread: readonly string[] }) {
  const [first] = unread
  if (first === undefined) return null
  return (
    <Note tone="warn" role="status">
      The list is incomplete: <UntrustedText text={first} />
      {unread.length > 1 && ` This is the first of ${unread.length} reasons.`}
    </Note>
  )
}

/** Only the sandbox reports new blocks, so other networks are polled at this interval. */
const pollMs = 15_000
/** The minimum interval on the sandbox, which may create several blocks a second. */
const sandboxMs = 1000

/** Calls `run` when the chain may have changed, while the window is visible. */
export function useChainTick(run: () => void): void {
  const { kind } = useShownNetwork()
  const tick = useEffectEvent(() => {
    if (document.visibilityState === 'visible') run()
  })
  useEffect(() => {
    const onVisible = () => tick()
    document.addEventListener('visibilitychange', onVisible)
    const stop = kind === 'sandbox' ? watchHead(() => tick()) : watchClock(() => tick())
    return () => {
      document.removeEventListener('visibilitychange', onVisible)
      stop()
    }
  }, [kind])
}

function watchClock(tick: () => void): () => void {
  const timer = setInterval(tick, pollMs)
  return () => clearInterval(timer)
}

function watchHead(tick: () => void): () => void {
  const throttled = throttle(tick, sandboxMs)
  let before = headOf(peek('sandbox.state'))
  const stop = on('sandbox.changed', (state) => {
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

/** Returns the last block of the network called Sandbox, which is the main network of the sandbox. */
function headOf(state: SandboxState | undefined): string {
  const head = state?.heads.find(({ network }) => network === 'mainnet')
  return `${state?.status ?? ''} ${head?.seqno ?? ''}`
}

/** A link to the same page in a public explorer, if the network has one. */
export function ExplorerLink({
  template,
  values,
}: {
  /** The template contains `{hash}` or `{address}`. */
  template: string | undefined
  values: Readonly<Record<string, string>>
}) {
  if (template === undefined) return null
  return (
    <SmallLink href={fillTemplate(template, values)} target="_blank" rel="noreferrer">
      Open in a web explorer
    </SmallLink>
  )
}
