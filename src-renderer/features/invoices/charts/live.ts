import { useEffect, useMemo } from 'react'
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Output, RouteName, Input } from '../../../../src-preload/contract/routes.ts'
import { on, request } from '../../../app/bridge.ts'
import { type Loadable, type Resource, createResource, useResource } from '../../../app/resource.ts'
import { throttle } from '../../../ui/throttle.ts'
import { useAnswer } from '../../../app/use-answer.ts'
import { useClockOffset } from '../gateway-clock.ts'
import type { Period } from '../period.ts'

/** Right within a second of a delivery, and the rarer the longer an answer takes. */
const leastMs = 400
const mostMs = 10_000
const shares = 10
/** With nothing happening, time still passes. */
const quietMs = 60_000

/** Reads it anew as invoices of the network change. */
function useLive(network: NetworkId, resource: Resource<unknown>): void {
  useEffect(() => {
    let tookMs = 0
    const read = async () => {
      const began = performance.now()
      await resource.reload()
      tookMs = performance.now() - began
    }
    const look = throttle(
      () => void read(),
      () => Math.min(mostMs, Math.max(leastMs, tookMs * shares)),
    )
    const stop = on('invoice.changed', (change) => change.network === network && look.call())
    const timer = setInterval(look.call, quietMs)
    return () => {
      stop()
      clearInterval(timer)
      look.cancel()
    }
  }, [network, resource])
}

export type Live<T> = { readonly state: Loadable<T>; readonly retry: () => void }

/** As `useAnswer`, kept current. */
export function useLiveAnswer<N extends RouteName>(
  network: NetworkId,
  name: N,
  input: NonNullable<Input<N>>,
): Live<Output<N>> {
  const { state, resource } = useAnswer(name, input)
  useLive(network, resource)
  return { state, retry: () => void resource.reload() }
}

type SeriesQuestion = Input<'invoiceStats.series'>
type Steps = Output<'invoiceStats.series'>['steps']
type ShownSeries = { readonly steps: Steps; readonly before: Steps | null }

/** Step by step; on demand with the time before, which is as long. */
export function useSeries(asked: SeriesQuestion, compares: boolean): Live<ShownSeries> {
  const key = JSON.stringify(asked)
  const resource = useMemo(
    () => createResource(() => readSeries(JSON.parse(key) as SeriesQuestion, compares)),
    [key, compares],
  )
  useLive(asked.network, resource)
  return { state: useResource(resource), retry: () => void resource.reload() }
}

async function readSeries(asked: SeriesQuestion, compares: boolean): Promise<ShownSeries> {
  const { from, to } = asked
  const [now, before] = await Promise.all([
    request('invoiceStats.series', asked),
    compares
      ? request('invoiceStats.series', { ...asked, from: from - (to - from), to: from })
      : null,
  ])
  return { steps: now.steps, before: before?.steps ?? null }
}

type Span = {
  readonly from: number
  readonly to: number
  readonly currencies: readonly InvoiceCurrency[]
}

export type ShownFigures = Output<'invoiceStats.figures'> & {
  /** What was compared: not beyond the present. */
  readonly from: number
  readonly to: number
  /** By the gateway's clock, in milliseconds. */
  readonly askedAt: number
}

const quarter = 15 * 60_000

/** Figures of a period, and of the time before it that is as long as what has passed of it. */
export function useFigures(network: NetworkId, period: Period): Live<ShownFigures> {
  const offset = useClockOffset(network)
  const { from, to, currencies } = period
  const resource = useMemo(
    () => createResource(() => readFigures(network, { from, to, currencies }, offset)),
    [network, from, to, currencies, offset],
  )
  useLive(network, resource)
  return { state: useResource(resource), retry: () => void resource.reload() }
}

async function readFigures(
  network: NetworkId,
  { from, to, currencies }: Span,
  offset: number,
): Promise<ShownFigures> {
  const askedAt = Date.now() + offset
  // A minute ahead, for clocks that differ; whole quarters are what rollups are made of.
  const passed = Math.ceil((askedAt + 60_000) / quarter) * quarter
  const end = passed > from && passed < to ? passed : to
  const asked = { network, from, to: end, currencies: [...currencies] }
  return { ...(await request('invoiceStats.figures', asked)), from, to: end, askedAt }
}
