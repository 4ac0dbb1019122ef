import { useEffect, useMemo } from 'react'
import { create } from 'zustand'
import type { ForwardDelivery } from '../../../../src-preload/contract/forward.ts'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import type { AppError } from '../../../../src-preload/domain/app-error.ts'
import { on, onReconnect, request, toAppError } from '../../../app/bridge.ts'
import { throttle } from '../../../ui/throttle.ts'

export type DeliveryState = NonNullable<Input<'forward.list'>['state']>

type Deliveries =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: AppError }
  | {
      readonly status: 'ready'
      readonly rows: readonly ForwardDelivery[]
      readonly nextBefore: number | null
      readonly isLoading: boolean
    }

const pageSize = 50
/** As many as are asked for at once: what goes further back stays as it was when it was fetched. */
const mostAnew = 500
const lookMs = 1000

export type DeliveryList = ReturnType<typeof createDeliveryList>

/** What a rule took, newest first, page by page; looked at anew while it changes. */
function createDeliveryList(rule: number, state: DeliveryState | null) {
  const store = create<Deliveries>(() => ({ status: 'loading' }))
  const ask = (before: number | null, limit: number) =>
    request('forward.list', { rule, state, before, limit })
  /** Only the newest question may answer. */
  let asked = 0

  async function look(): Promise<void> {
    const now = store.getState()
    const held = now.status === 'ready' ? now.rows.length : 0
    asked += 1
    const mine = asked
    try {
      const limit = Math.min(mostAnew, Math.max(pageSize, held))
      const { deliveries, nextBefore } = await ask(null, limit)
      if (mine === asked) {
        store.setState({ status: 'ready', rows: deliveries, nextBefore, isLoading: false }, true)
      }
    } catch (error) {
      // What is shown stays: the rule's own view tells of a lost connection.
      if (mine === asked && store.getState().status !== 'ready') {
        store.setState({ status: 'failed', error: toAppError(error) }, true)
      }
    }
  }

  /** @throws AppError */
  async function loadOlder(): Promise<void> {
    const now = store.getState()
    if (now.status !== 'ready' || now.nextBefore === null || now.isLoading) return
    store.setState({ ...now, isLoading: true }, true)
    asked += 1
    const mine = asked
    try {
      const { deliveries, nextBefore } = await ask(now.nextBefore, pageSize)
      if (mine !== asked) return
      const rows = [...now.rows, ...deliveries]
      store.setState({ status: 'ready', rows, nextBefore, isLoading: false }, true)
    } catch (error) {
      if (mine === asked) store.setState(now, true)
      throw error
    }
  }

  return { store, look, loadOlder }
}

/** The list for as long as it is shown. */
export function useDeliveries(rule: number, state: DeliveryState | null): DeliveryList {
  const list = useMemo(() => createDeliveryList(rule, state), [rule, state])
  useEffect(() => {
    void list.look()
    const again = throttle(() => void list.look(), lookMs)
    const stops = [on('forward.changed', again.call), onReconnect(again.call), again.cancel]
    return () => {
      for (const stop of stops) stop()
    }
  }, [list])
  return list
}
