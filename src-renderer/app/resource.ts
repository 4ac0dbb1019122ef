import { hashKey } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type StoreApi, type UseBoundStore, create } from 'zustand'
import type { AppError } from '../../src-preload/domain/app-error.ts'
import type { Input, Output, RouteName } from '../../src-preload/contract/routes.ts'
import { onReconnect, toAppError } from './bridge.ts'
import { type CacheEvent, fetchData, put, queries, reload } from './queries.ts'

/** Something fetched from the main process, in one of its four states. */
type Loadable<T> =
  | { readonly status: 'idle' }
  | { readonly status: 'loading' }
  /** `problem`: it is shown as it was, for fetching it again did not work. */
  | { readonly status: 'ready'; readonly value: T; readonly problem: AppError | null }
  | { readonly status: 'failed'; readonly error: AppError }

type Resource<T> = {
  readonly store: UseBoundStore<StoreApi<Loadable<T>>>
  /**
   * Fetches again; what is there stays on the screen meanwhile. One question at a time: a browser has
   * few connections to one host, and slow answers nobody needs would keep others waiting. Never throws.
   */
  reload(): Promise<void>
  /** Takes a newer value, from an event or an answer: a fetch under way no longer counts. */
  set(value: T): void
}

export function createResource<T>(load: () => Promise<T>): Resource<T> {
  const store = create<Loadable<T>>(() => ({ status: 'idle' }))
  /** Only the newest question may answer. */
  let asked = 0
  let underWay: Promise<void> | null = null
  let wanted = 0

  async function fetchOnce(): Promise<void> {
    asked += 1
    const mine = asked
    if (store.getState().status !== 'ready') store.setState({ status: 'loading' }, true)
    try {
      const value = await load()
      if (mine === asked) store.setState({ status: 'ready', value, problem: null }, true)
    } catch (error) {
      if (mine !== asked) return
      const problem = toAppError(error)
      const state = store.getState()
      store.setState(
        state.status === 'ready' ? { ...state, problem } : { status: 'failed', error: problem },
        true,
      )
    }
  }

  async function fetchUntilCurrent(): Promise<void> {
    for (let answered = 0; answered < wanted;) {
      answered = wanted
      await fetchOnce()
    }
    underWay = null
  }

  return {
    store,
    reload() {
      wanted += 1
      underWay ??= fetchUntilCurrent()
      return underWay
    },
    set(value) {
      asked += 1
      store.setState({ status: 'ready', value, problem: null }, true)
    },
  }
}

/** Reads a resource; fetches it on first use and again after a lost connection. */
export function useResource<T>(resource: Resource<T>): Loadable<T> {
  useEffect(() => {
    if (resource.store.getState().status === 'idle') void resource.reload()
    return onReconnect(() => void resource.reload())
  }, [resource])
  return resource.store()
}

/** Its value, or what stands in for it until there is one. */
export function valueOf<T>(state: Loadable<T>): T | null {
  return state.status === 'ready' ? state.value : null
}

/** The answer of a route as a resource, for pages that do not use `useData` yet. */
export function resourceOf<N extends RouteName>(name: N, input?: Input<N>): Resource<Output<N>> {
  const key = input === undefined ? [name] : [name, input]
  const store = create<Loadable<Output<N>>>(() => ({ status: 'idle' }))
  queries.getQueryCache().subscribe((event) => {
    const { type, query } = event as CacheEvent
    if (type !== 'updated' || query.queryHash !== hashKey(key)) return
    const { data, error, fetchStatus } = query.state
    const problem = error === null ? null : toAppError(error)
    if (data !== undefined) {
      store.setState({ status: 'ready', value: data as Output<N>, problem }, true)
    } else if (problem !== null) store.setState({ status: 'failed', error: problem }, true)
    else if (fetchStatus === 'fetching') store.setState({ status: 'loading' }, true)
  })
  return {
    store,
    async reload() {
      reload(name, input)
      const ask = fetchData as (route: N, asked: unknown) => Promise<unknown>
      await ask(name, input).catch(() => undefined)
    },
    set: (value) => put(name, input as Input<N>, value),
  }
}
